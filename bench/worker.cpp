// lawful as a worker for bench/compare, with the protocol of python_worker.py: resident like the other engines, so that
// what is compared is the work and not the start.
//
//   worker MODEL THREADS CONTEXT
//
// One line `ready SECONDS` once the model is loaded, then a line of seconds for each line read:
//   prefill N        a prompt of N tokens into an empty cache, logits of the last
//   decode PAST N    N tokens, one at a time, after PAST cached ones
#include "kernels/team.hpp"
#include "model/checkpoint/checkpoint.hpp"
#include "model/generate.hpp"
#include "model/sequence.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace lawful;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The ids of the other engines' workers: of no matter, and in the vocabulary.
std::vector<std::uint32_t> made_up(std::size_t first, std::size_t count) {
  std::vector<std::uint32_t> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<std::uint32_t>((7919 * (first + i) + 13) % 49152);
  return ids;
}

class Worker {
 public:
  Worker(const std::string& path, std::size_t context)
      : checkpoint_(model::Checkpoint::open(path)),
        model_(model::Model::load(checkpoint_)),
        sequence_(model_->sequence(context)) {}

  double prefill(std::size_t count) {
    const auto ids = made_up(0, count);
    sequence_->truncate(0);
    const double begun = seconds();
    model::argmax(model::prefill(*sequence_, ids, model::default_chunk(model_->config()), [](std::size_t) {}).row(0));
    return seconds() - begun;
  }

  double decode(std::size_t past, std::size_t count) {
    sequence_->truncate(0);
    if (past > 0) prefill(past);
    const auto ids = made_up(past, count);
    const double begun = seconds();
    for (const auto& id : ids) model::argmax(sequence_->append(std::span(&id, 1), 1).row(0));
    return seconds() - begun;
  }

 private:
  model::Checkpoint checkpoint_;
  std::unique_ptr<model::Model> model_;
  std::unique_ptr<model::Sequence> sequence_;
};

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) throw std::runtime_error("worker: expected MODEL THREADS CONTEXT");
  const double begun = seconds();
  kernels::use_threads(std::atoi(argv[2]));
  Worker worker(argv[1], std::strtoul(argv[3], nullptr, 10));
  std::cout << "ready " << seconds() - begun << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string what;
    std::size_t a = 0, b = 0;
    words >> what >> a >> b;
    std::cout << (what == "prefill" ? worker.prefill(a) : worker.decode(a, b)) << std::endl;
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
