// e^x and silu over every one of the 2^32 F32 patterns. Takes minutes: the suite `large`.
#include "props/kernels/exp_error.hpp"

#include <doctest/doctest.h>

TEST_CASE("e^x and silu(x) are within the stated bounds for every F32, on every instruction set") {
  lawful::props::ExpErrors all;
  constexpr std::uint64_t part = 1U << 28U;
  for (std::uint64_t first = 0; first < (1ULL << 32U); first += part)
    all.add(lawful::props::exp_errors(static_cast<std::uint32_t>(first), part, 1));
  MESSAGE("e^x: at most ", all.exp_ulp, " ulp, ", all.not_nearest, " results not the nearest F32; silu: at most ",
          all.silu_ulp, " ulp");
  CHECK(all.wrong == 0);
  CHECK(all.falling == 0);
  CHECK(all.differing == 0);
  CHECK(all.exp_ulp <= 0.5002);
  CHECK(all.silu_ulp <= 0.5002);
}
