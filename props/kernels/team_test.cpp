// The threads of the kernels: every task once, whatever the count of threads, from wherever it is called.
#include "kernels/isa.hpp"
#include "kernels/team.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace lawful::kernels;

/// How many of `count` tasks were not run exactly once.
std::size_t not_run_once(std::size_t count) {
  std::vector<std::atomic<int>> runs(count);
  parallel(count, [&](std::size_t i) { runs[i].fetch_add(1, std::memory_order_relaxed); });
  std::size_t wrong = 0;
  for (const auto& n : runs) wrong += n.load() != 1;
  return wrong;
}

struct MachineThreadsAfterwards {
  ~MachineThreadsAfterwards() { use_threads(machine_threads()); }
};

}  // namespace

TEST_CASE("each task is run once, with 1 to 64 threads and any count of tasks") {
  const MachineThreadsAfterwards restore;
  for (const int count : {1, 2, 3, 7, 16, 64}) {
    use_threads(count);
    CHECK(threads() == count);
    for (const std::size_t tasks : {0, 1, 2, 3, 63, 64, 65, 1000})
      for (int repeat = 0; repeat < 3; ++repeat) CHECK(not_run_once(tasks) == 0);
  }
}

TEST_CASE("many short calls in a row, while the team grows and shrinks") {
  const MachineThreadsAfterwards restore;
  std::size_t wrong = 0;
  for (const int count : {2, 5, 1, 3, 8, 2}) {
    use_threads(count);
    for (int repeat = 0; repeat < 2000; ++repeat) wrong += not_run_once(static_cast<std::size_t>(repeat % 9));
  }
  CHECK(wrong == 0);
}

TEST_CASE("the counts of threads that cannot be are brought to those that can") {
  const MachineThreadsAfterwards restore;
  use_threads(0);
  CHECK(threads() == 1);
  use_threads(-3);
  CHECK(threads() == 1);
  CHECK(machine_threads() >= 1);
}

TEST_CASE("a call from within a task runs all of its tasks before it returns") {
  const MachineThreadsAfterwards restore;
  for (const int count : {1, 2, 7}) {
    use_threads(count);
    std::vector<std::size_t> wrong(20, 1);
    parallel(wrong.size(), [&](std::size_t i) { wrong[i] = not_run_once(i * 10); });
    CHECK(wrong == std::vector<std::size_t>(20, 0));
  }
}

TEST_CASE("calls from several threads at once do not mix") {
  const MachineThreadsAfterwards restore;
  for (const int count : {1, 2, 7}) {
    use_threads(count);
    std::vector<std::size_t> wrong(4, 1);
    {
      std::vector<std::jthread> callers;
      for (std::size_t& sum : wrong)
        callers.emplace_back([&sum] {
          sum = 0;
          for (std::size_t repeat = 0; repeat < 300; ++repeat) sum += not_run_once(repeat % 40);
        });
    }
    CHECK(wrong == std::vector<std::size_t>(4, 0));
  }
}

TEST_CASE("what one task writes is seen by the caller, and what the caller wrote by the tasks") {
  const MachineThreadsAfterwards restore;
  use_threads(7);
  std::size_t wrong = 0;
  std::vector<std::size_t> in(500), out(500);
  for (std::size_t repeat = 0; repeat < 500; ++repeat) {
    for (auto& x : in) x = repeat;
    parallel(in.size(), [&](std::size_t i) { out[i] = in[i] + i; });
    for (std::size_t i = 0; i < out.size(); ++i) wrong += out[i] != repeat + i;
  }
  CHECK(wrong == 0);
}

TEST_CASE("an instruction set is one of those listed, and an unknown one changes nothing") {
  const auto all = instruction_sets();
  REQUIRE(!all.empty());
  const std::string before(instruction_set());
  for (const std::string name : {"", "avx", "AVX2", "avx2 ", "sse9", "auto"}) {
    CHECK_FALSE(use_instruction_set(name));
    CHECK(instruction_set() == before);
  }
  for (const auto name : all) {
    CHECK(use_instruction_set(name));
    CHECK(instruction_set() == name);
  }
  CHECK(use_instruction_set(before));
}
