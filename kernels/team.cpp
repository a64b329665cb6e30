#include "kernels/team.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lawful::kernels {
namespace {

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Waits until ready() for a moment (tens of microseconds), which is longer than the gaps between the kernels of a
/// forward pass; false where it was not.
template <class Ready>
bool spin_until(Ready ready, int turns) {
  for (int i = 0; i < turns; ++i) {
    if (ready()) return true;
    relax();
  }
  return ready();
}

class Team {
 public:
  ~Team() { resize(1); }

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  void resize(int count) {
    const std::lock_guard lock(busy_);
    stop_ = true;
    signal(static_cast<int>(workers_.size()));
    workers_.clear();  // joins
    stop_ = false;
    // Threads that have no processor of their own would only keep others from theirs.
    spin_turns_ = count <= machine_threads() ? 4000 : 0;
    for (int i = 1; i < count; ++i) workers_.emplace_back([this] { work(); });
  }

  void run(std::size_t count, detail::Task task, const void* body) {
    const std::unique_lock lock(busy_, std::try_to_lock);
    if (count <= 1 || workers_.empty() || !lock.owns_lock()) {
      for (std::size_t i = 0; i < count; ++i) task(body, i);
      return;
    }
    task_ = task;
    body_ = body;
    unfinished_.store(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
    const std::uint64_t epoch = (tickets_.load(std::memory_order_relaxed) >> 32) + 1;
    tickets_.store(epoch << 32 | count, std::memory_order_seq_cst);
    signal(static_cast<int>(std::min({count - 1, workers_.size(), static_cast<std::size_t>(machine_threads() - 1)})));
    while (claim_one()) {}
    const auto done = [this] { return unfinished_.load(std::memory_order_acquire) == 0; };
    while (!spin_until(done, spin_turns_)) {
      const std::uint32_t left = unfinished_.load(std::memory_order_acquire);
      if (left != 0) unfinished_.wait(left, std::memory_order_acquire);
    }
  }

 private:
  /// Runs one task of the current call, if one is unclaimed. A ticket is the call's number and the tasks that are left;
  /// task_ and body_ stay as they are while a claimed task of their call is unfinished.
  bool claim_one() {
    std::uint64_t ticket = tickets_.load(std::memory_order_acquire);
    do {
      if ((ticket & 0xffffffffU) == 0) return false;
    } while (!tickets_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel));
    task_(body_, (ticket & 0xffffffffU) - 1);
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
    return true;
  }

  void signal(int wanted) {
    if (wanted <= 0) return;
    calls_.fetch_add(1, std::memory_order_seq_cst);
    if (sleeping_.load(std::memory_order_seq_cst) == 0) return;
    if (stop_) return calls_.notify_all();
    for (int i = 0; i < wanted; ++i) calls_.notify_one();
  }

  void work() {
    for (std::uint32_t seen = 0;;) {
      while (claim_one()) {}
      const auto called = [&] { return calls_.load(std::memory_order_acquire) != seen; };
      if (!spin_until(called, spin_turns_)) {
        sleeping_.fetch_add(1, std::memory_order_seq_cst);
        calls_.wait(seen, std::memory_order_seq_cst);
        sleeping_.fetch_sub(1, std::memory_order_seq_cst);
      }
      seen = calls_.load(std::memory_order_acquire);
      if (stop_) return;
    }
  }

  std::mutex busy_;
  detail::Task task_ = nullptr;
  const void* body_ = nullptr;
  alignas(64) std::atomic<std::uint64_t> tickets_ = 0;
  alignas(64) std::atomic<std::uint32_t> unfinished_ = 0;
  alignas(64) std::atomic<std::uint32_t> calls_ = 0;
  std::atomic<std::uint32_t> sleeping_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<int> spin_turns_ = 0;
  std::vector<std::jthread> workers_;
};

Team& team() {
  static Team one;
  [[maybe_unused]] static const bool sized = (one.resize(machine_threads()), true);
  return one;
}

}  // namespace

int machine_threads() {
  static const int count = [] {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    return sched_getaffinity(0, sizeof mask, &mask) == 0 ? std::max(1, CPU_COUNT(&mask))
                                                         : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }();
  return count;
}

void use_threads(int count) { team().resize(std::clamp(count, 1, most_threads)); }

int threads() { return team().size(); }

void detail::run_parallel(std::size_t count, Task task, const void* body) { team().run(count, task, body); }

}  // namespace lawful::kernels
