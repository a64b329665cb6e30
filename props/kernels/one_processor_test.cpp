// A process that may run on one processor only. A program of its own: the mask is set before the threads are made.
#include "kernels/team.hpp"

#include <doctest/doctest.h>
#include <sched.h>

#include <atomic>

namespace {

/// Leaves this process the first processor of its mask.
bool keep_one_processor() {
  cpu_set_t all;
  CPU_ZERO(&all);
  if (sched_getaffinity(0, sizeof all, &all) != 0) return false;
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  return sched_setaffinity(0, sizeof one, &one) == 0;
}

}  // namespace

TEST_CASE("the default count of threads is that of the affinity mask, and more of them than processors still end") {
  namespace kernels = lawful::kernels;
  REQUIRE(keep_one_processor());
  CHECK(kernels::machine_threads() == 1);
  CHECK(kernels::threads() == 1);
  for (const int count : {1, 2, 7, 64}) {
    kernels::use_threads(count);
    std::atomic<std::size_t> sum = 0;
    for (int repeat = 0; repeat < 200; ++repeat)
      kernels::parallel(50, [&](std::size_t i) { sum.fetch_add(i, std::memory_order_relaxed); });
    CHECK(sum == 200 * 49 * 50 / 2);
  }
}
