// How long work tells how far it is.
#pragma once
#include <cstdint>
#include <functional>

namespace lawful::io {

/// Told the bytes done and the bytes in all, from time to time and at the end; may throw to stop the work.
using Progress = std::function<void(std::uint64_t done, std::uint64_t all)>;

}  // namespace lawful::io
