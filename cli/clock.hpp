#pragma once
#include <chrono>

namespace lawful::cli {

/// Seconds on a clock that only goes forward.
inline double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace lawful::cli
