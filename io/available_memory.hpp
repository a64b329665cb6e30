// How much memory the process may still take.
#pragma once
#include <cstddef>

namespace lawful::io {

/// Bytes of memory that this process may still take: the least of what the system says is available, of what its control
/// groups (cgroup v2, as batch systems and containers set them) leave of their limits, and of its limit on address space.
/// The largest number where nothing can be found out.
std::size_t available_memory();

}  // namespace lawful::io
