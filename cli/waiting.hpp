// Work that cannot say how far it is.
#pragma once
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace lawful::cli {

/// Tells a terminal at stderr what is being done and for how many seconds, from the first second on and until the end.
class Waiting {
 public:
  explicit Waiting(std::string what);
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting();

 private:
  void tell();
  std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false;
  std::thread teller_;
};

}  // namespace lawful::cli
