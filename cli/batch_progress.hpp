// How far a batch is, on stderr: a line that is replaced on terminals, one a minute in a log.
#pragma once
#include <cstddef>
#include <string>

namespace lawful::cli {

class BatchProgress {
 public:
  /// Of `total` requests `done` are done already, by an earlier run.
  BatchProgress(std::size_t done, std::size_t total);
  BatchProgress(const BatchProgress&) = delete;
  BatchProgress& operator=(const BatchProgress&) = delete;
  ~BatchProgress();

  /// `tokens` were made by this run so far.
  void show(std::size_t done, std::size_t tokens);

 private:
  std::size_t before_, total_;
  double begun_, shown_;
  bool terminal_, visible_ = false;
};

/// "120 of 1000 requests, 345 tokens/s, 2 min 5 s left": after `seconds` in which `made` requests were done.
std::string batch_progress_line(std::size_t done, std::size_t total, std::size_t made, std::size_t tokens, double seconds);

}  // namespace lawful::cli
