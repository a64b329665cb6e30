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
    shares_ = std::vector<Share>(static_cast<std::size_t>(count));
    for (int i = 1; i < count; ++i) workers_.emplace_back([this, i] { work(static_cast<std::size_t>(i)); });
  }

  void run(std::size_t count, detail::Task task, const void* body) {
    const std::unique_lock lock(busy_, std::try_to_lock);
    if (count <= 1 || count > most_tasks || workers_.empty() || !lock.owns_lock()) {
      for (std::size_t i = 0; i < count; ++i) task(body, i);
      return;
    }
    task_ = task;
    body_ = body;
    call_ = (call_ + 1) % (std::uint64_t{1} << 24);
    unfinished_.store(static_cast<std::uint32_t>(count), std::memory_order_relaxed);
    for (std::size_t i = 0; i < shares_.size(); ++i)
      shares_[i].range.store(packed(call_, count * i / shares_.size(), count * (i + 1) / shares_.size()),
                             std::memory_order_release);
    signal(static_cast<int>(std::min({count - 1, workers_.size(), static_cast<std::size_t>(machine_threads() - 1)})));
    do_tasks(0);
    const auto done = [this] { return unfinished_.load(std::memory_order_acquire) == 0; };
    while (!spin_until(done, spin_turns_)) {
      const std::uint32_t left = unfinished_.load(std::memory_order_acquire);
      if (left != 0) unfinished_.wait(left, std::memory_order_acquire);
    }
  }

 private:
  // Every thread has a share of a call's tasks, in a cache line of its own, and takes them from the front; one that has
  // done its share takes from the back of another's. A share is the call's number and the tasks begin … end − 1. A task
  // that was claimed keeps task_ and body_ as they are until it is reported as finished, since the call waits for it.
  static constexpr std::size_t most_tasks = (std::size_t{1} << 20) - 1;
  struct alignas(64) Share {
    std::atomic<std::uint64_t> range = 0;
  };
  static constexpr std::uint64_t packed(std::uint64_t call, std::uint64_t begin, std::uint64_t end) {
    return call << 40 | begin << 20 | end;
  }

  /// Runs a task of share `s`, if one is left: its first or its last.
  bool claim(std::size_t s, bool first) {
    auto& range = shares_[s].range;
    std::uint64_t now = range.load(std::memory_order_acquire), begin = 0, end = 0;
    do {
      begin = now >> 20 & most_tasks;
      end = now & most_tasks;
      if (begin == end) return false;
    } while (!range.compare_exchange_weak(now, first ? now + (1 << 20) : now - 1, std::memory_order_acq_rel));
    task_(body_, first ? begin : end - 1);
    return true;
  }

  /// Does what is left of the current call, own share first, and reports it.
  void do_tasks(std::size_t own) {
    std::uint32_t did = 0;
    while (claim(own, true)) ++did;
    for (std::size_t other = 1; other < shares_.size(); ++other)
      while (claim((own + other) % shares_.size(), false)) ++did;
    if (did != 0 && unfinished_.fetch_sub(did, std::memory_order_acq_rel) == did) unfinished_.notify_one();
  }

  void signal(int wanted) {
    if (wanted <= 0) return;
    calls_.fetch_add(1, std::memory_order_seq_cst);
    if (sleeping_.load(std::memory_order_seq_cst) == 0) return;
    if (stop_) return calls_.notify_all();
    for (int i = 0; i < wanted; ++i) calls_.notify_one();
  }

  void work(std::size_t own) {
    for (std::uint32_t seen = 0;;) {
      do_tasks(own);
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
  std::uint64_t call_ = 0;
  std::vector<Share> shares_ = std::vector<Share>(1);
  alignas(64) std::atomic<std::uint32_t> unfinished_ = 0;
  alignas(64) std::atomic<std::uint32_t> calls_ = 0;
  std::atomic<std::uint32_t> sleeping_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<int> spin_turns_ = 0;
  std::vector<std::jthread> workers_;
};

std::once_flag team_sized;

/// The team; as large as the machine unless a size was chosen before its first use.
Team& team() {
  static Team one;
  std::call_once(team_sized, [] { one.resize(machine_threads()); });
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

void use_threads(int count) {
  count = std::clamp(count, 1, most_threads);
  bool first = false;
  std::call_once(team_sized, [&] { first = true; });  // no threads are started only to be ended again
  if (!first && count == team().size()) return;
  team().resize(count);
}

int threads() { return team().size(); }

void detail::run_parallel(std::size_t count, Task task, const void* body) { team().run(count, task, body); }

}  // namespace lawful::kernels
