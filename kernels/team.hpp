// The threads of the kernels.
//
// Own and not OpenMP, since libgomp's teams collapse where another process holds a core: a team waits for its slowest
// member even where that has not begun. Here every thread has a share of the tasks and steals from the others, so a
// call ends when the tasks are done, whoever did them; threads that have nothing to do spin for a moment, then sleep.
#pragma once
#include <cstddef>
#include <type_traits>

namespace lawful::kernels {

inline constexpr int most_threads = 1024;

/// The processors that this process may run on (its affinity mask).
int machine_threads();

/// Uses `count` threads from now on, 1 to most_threads; the caller of parallel() is one of them.
void use_threads(int count);

/// The number in use: at first that of the machine.
int threads();

namespace detail {
using Task = void (*)(const void* body, std::size_t index);
void run_parallel(std::size_t count, Task task, const void* body);
}  // namespace detail

/// Calls body(i) once for each i below `count`, on the threads in use, in any order; returns when all are done. The body
/// must not throw, and what it computes must not depend on which thread runs it. Calls from several threads, or from
/// within a body, are run by the caller alone while the threads are taken.
template <class Body>
void parallel(std::size_t count, const Body& body) {
  detail::run_parallel(
      count, [](const void* b, std::size_t i) { (*static_cast<const Body*>(b))(i); }, &body);
}

}  // namespace lawful::kernels
