// How many threads the kernels use. The results do not depend on it.
#pragma once

namespace lawful::kernels {

inline constexpr int most_threads = 1024;

/// The processors that this process may run on (its affinity mask).
int machine_threads();

/// Uses `count` threads from now on, 1 to most_threads, in calls from this thread.
void use_threads(int count);

/// The number in use.
int threads();

}  // namespace lawful::kernels
