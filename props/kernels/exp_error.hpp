// The error of the vector exponential over ranges of F32 patterns, against exp in the widest type of the C library.
#pragma once
#include <cstddef>
#include <cstdint>

namespace lawful::props {

/// What was found over some patterns. Errors are in units of the last place of the F32 result.
struct ExpErrors {
  double exp_ulp = 0.0;          ///< largest error of e^x
  double silu_ulp = 0.0;         ///< largest error of x / (1 + e^−x)
  std::uint64_t not_nearest = 0; ///< results of e^x that are not the nearest F32
  std::uint64_t wrong = 0;       ///< results beyond all bounds: not NaN for NaN, not 0, 1 or infinity where that is due
  std::uint64_t falling = 0;     ///< x whose neighbour of larger magnitude has the result on the wrong side
  std::uint64_t differing = 0;   ///< patterns where an instruction set gave other bits than the best one

  void add(const ExpErrors& other);
};

/// Pattern first + i · stride for i below count, on every instruction set of this machine and all threads.
ExpErrors exp_errors(std::uint32_t first, std::uint64_t count, std::uint32_t stride);

}  // namespace lawful::props
