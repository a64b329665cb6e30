// The default model's GGUF and the reference's tokenizer.json hold the same tokenizer.
#include <doctest/doctest.h>

#include "model/checkpoint/checkpoint.hpp"
#include "props/default_model.hpp"
#include "props/tokenizer/smollm2.hpp"

using namespace lawful;

TEST_CASE("loading from GGUF and from tokenizer.json gives the same table") {
  const auto from_gguf = model::Checkpoint::open(props::default_model()).tokenizer();
  const auto &a = from_gguf.vocabulary(), &b = props::smollm2().vocabulary();
  REQUIRE(a.size() == b.size());
  std::size_t different = 0;
  for (tokenizer::Id id = 0; id < a.size(); ++id) different += a.bytes(id) != b.bytes(id) || a.kind(id) != b.kind(id);
  CHECK(different == 0);
  REQUIRE(a.merges().size() == b.merges().size());
  for (std::size_t rank = 0; rank < a.merges().size(); ++rank) {
    different += a.merges()[rank].left != b.merges()[rank].left || a.merges()[rank].right != b.merges()[rank].right ||
                 a.merges()[rank].result != b.merges()[rank].result;
  }
  CHECK(different == 0);
  CHECK(a.merges().size() == 48900);
}
