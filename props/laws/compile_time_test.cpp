// The first proof can fail: a false law has a counterexample at compile time, in every config.
#include <doctest/doctest.h>

#include "laws/proof.hpp"
#include "laws/registry.hpp"
#include "props/laws/false_law.hpp"

namespace lawful::props {

static_assert(laws::refutes<no_position_is_48, model::smollm2_135m, laws::Product>());
static_assert(laws::refutes<no_position_is_48, model::tiny, laws::Product>());

constexpr auto found = laws::search_chunk<no_position_is_48, model::smollm2_135m, laws::Product, 0>();
static_assert(found.found && found.at[0] == 47 && found.sides.left == 47 && found.sides.right == 0);

TEST_CASE("domains are cut into chunks that cover them") {
  CHECK(laws::domain_size<laws::kv_room>(model::smollm2_135m::config) == 8192);
  CHECK(laws::domain_size<laws::causal>(model::smollm2_135m::config) == 8192);
  CHECK(laws::chunks<laws::causal, model::smollm2_135m> * laws::chunk_points == 8192);
  CHECK(laws::chunks<laws::causal, model::tiny> == 1);
}

}  // namespace lawful::props
