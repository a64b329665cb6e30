#pragma once
#include <cstddef>

namespace lawful::io {

/// Bytes of memory that this process may still take: what the system says is available, and what its control groups
/// (cgroup v2, as batch systems and containers set them) leave of their limits. 0 where nothing can be found out.
std::size_t available_memory();

}  // namespace lawful::io
