// The default model as a whole: loading it, a prompt, a token. LAWFUL_MODEL names the file; LAWFUL_THREADS the threads.
#include "kernels/team.hpp"
#include "model/checkpoint/checkpoint.hpp"
#include "model/generate.hpp"
#include "model/sequence.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace lawful;

std::string path;

struct Loaded {
  model::Checkpoint checkpoint = model::Checkpoint::open(path);
  std::unique_ptr<model::Model> model = model::Model::load(checkpoint);
};

std::vector<std::uint32_t> some_ids(std::size_t count) {
  std::vector<std::uint32_t> ids(count);
  for (std::size_t i = 0; i < count; ++i) ids[i] = static_cast<std::uint32_t>(100 + 37 * i % 40000);
  return ids;
}

void load(benchmark::State& state) {
  for (auto _ : state) {
    const Loaded m;
    benchmark::DoNotOptimize(m.model.get());
  }
}

void load_tokenizer(benchmark::State& state) {
  const Loaded m;
  for (auto _ : state) benchmark::DoNotOptimize(m.checkpoint.tokenizer().size());
}

void prefill(benchmark::State& state) {
  const Loaded m;
  const auto ids = some_ids(static_cast<std::size_t>(state.range(0)));
  const auto sequence = m.model->sequence(ids.size());
  for (auto _ : state) {
    sequence->truncate(0);
    benchmark::DoNotOptimize(
        model::prefill(*sequence, ids, model::default_chunk(m.model->config()), [](std::size_t) {}).rows());
  }
  state.counters["tokens/s"] = benchmark::Counter(static_cast<double>(ids.size()),
                                                  benchmark::Counter::kIsIterationInvariantRate);
}

void decode(benchmark::State& state) {
  const Loaded m;
  const auto past = some_ids(static_cast<std::size_t>(state.range(0)));
  const auto sequence = m.model->sequence(past.size() + 1);
  model::prefill(*sequence, past, model::default_chunk(m.model->config()), [](std::size_t) {});
  const std::uint32_t id = 42;
  for (auto _ : state) {
    sequence->truncate(past.size());
    benchmark::DoNotOptimize(model::argmax(sequence->append(std::span(&id, 1), 1).row(0)));
  }
  state.counters["tokens/s"] = benchmark::Counter(1.0, benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK(load)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(load_tokenizer)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(prefill)->Arg(8)->Arg(64)->Arg(256)->Arg(1024)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(decode)->Arg(16)->Arg(500)->Arg(2000)->Arg(8000)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  const char* file = std::getenv("LAWFUL_MODEL");
  if (file == nullptr) {
    std::fputs("LAWFUL_MODEL: expected the path of a model, found nothing\n", stderr);
    return 2;
  }
  path = file;
  if (const char* count = std::getenv("LAWFUL_THREADS"); count != nullptr) kernels::use_threads(std::atoi(count));
  benchmark::AddCustomContext("threads", std::to_string(kernels::threads()));
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
