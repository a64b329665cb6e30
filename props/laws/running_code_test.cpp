// Laws on the production code: the cache, attention, the rotation, the weights' walk, the file cursor.
#include "props/laws/arithmetic_code.hpp"
#include "props/laws/cache_code.hpp"
#include "props/laws/memory_code.hpp"

TEST_CASE("every law holds on the code that runs") {
  lawful::laws::each_law([](const auto&, auto law) {
    using Law = typename decltype(law)::type;
    lawful::props::RunningCode<Law>::check();
  });
}

TEST_CASE("a false sentence about the running cache is refuted") {
  CHECK(lawful::props::refuted("a cache never fills up", [] {
    lawful::props::WrittenCache cache(3);
    cache.push(lawful::props::number(0, 3));
    RC_ASSERT(cache.left() > 0);
  }));
}
