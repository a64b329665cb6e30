#include "cli/waiting.hpp"

#include "cli/output.hpp"

#include <chrono>
#include <csignal>

namespace lawful::cli {

Waiting::Waiting(std::string what) : what_(std::move(what)) {
  if (!stderr_is_terminal()) return;
  // Signals are the caller's: one that this thread took would not interrupt what the caller waits for.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  teller_ = std::thread([this] { tell(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Waiting::~Waiting() {
  if (!teller_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ended_.notify_one();
  teller_.join();
}

void Waiting::tell() {
  std::unique_lock lock(mutex_);
  int passed = 0;
  while (!ended_.wait_for(lock, std::chrono::seconds(1), [this] { return over_; }))
    tell_formatted("{}{} ({} s)", wiped_line, what_, ++passed);
  if (passed > 0) cli::tell(wiped_line);
}

}  // namespace lawful::cli
