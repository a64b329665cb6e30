// The checker itself: it must be able to fail.
#include "props/property.hpp"

TEST_CASE("a deliberately false property is refuted") {
  CHECK(lawful::props::refuted("every number is below 1000", [](unsigned n) { RC_ASSERT(n < 1000U); }));
}

TEST_CASE("a true property holds") {
  lawful::props::property("addition commutes", [](unsigned a, unsigned b) { RC_ASSERT(a + b == b + a); });
}
