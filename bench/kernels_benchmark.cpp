// Every kernel at the shapes of the models, beside what the machine can do at most, measured in the same run:
// bytes/s against the read bandwidth, FLOP/s against the rate of fused multiply-adds. One thread unless LAWFUL_THREADS
// says otherwise.
#include "kernels/attention.hpp"
#include "kernels/limits.hpp"
#include "kernels/matmul.hpp"
#include "kernels/rms_norm.hpp"
#include "kernels/rope.hpp"
#include "kernels/swiglu.hpp"
#include "kernels/team.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace lawful::kernels;

double fma_limit = 0.0, read_limit = 0.0;

void set_rates(benchmark::State& state, double flops, double bytes) {
  using Counter = benchmark::Counter;
  state.counters["FLOP/s"] = Counter(flops, Counter::kIsIterationInvariantRate);
  state.counters["bytes/s"] = Counter(bytes, Counter::kIsIterationInvariantRate);
  state.counters["of_FMA"] = Counter(flops / fma_limit, Counter::kIsIterationInvariantRate);
  state.counters["of_read"] = Counter(bytes / read_limit, Counter::kIsIterationInvariantRate);
}

std::vector<float> some_values(std::size_t count) {
  std::vector<float> out(count);
  std::uint32_t state = 1;
  for (float& v : out) {
    state = state * 1664525U + 1013904223U;
    v = static_cast<float>(state >> 8) * 0x1p-24f - 0.5f;
  }
  return out;
}

/// Matrices of one shape, enough of them that they do not stay in the caches where `cold`.
void matmul_benchmark(benchmark::State& state, Storage storage, std::size_t rows, std::size_t cols, std::size_t tokens,
                      bool cold) {
  StoredMatrix w{nullptr, rows, cols, storage, RowOrder::straight, 0};
  const std::size_t size = w.row_bytes() * rows, count = cold ? (std::size_t{256} << 20) / size + 1 : 1;
  std::vector<std::byte> bytes(size * count, std::byte{0x11});
  const auto x = some_values(tokens * cols);
  std::vector<float> y(tokens * rows);
  std::size_t i = 0;
  for (auto _ : state) {
    w.bytes = bytes.data() + i++ % count * size;
    const Product<float> product{w, y.data()};
    matmul(std::span(&product, 1), x.data(), tokens);
    benchmark::ClobberMemory();
  }
  set_rates(state, 2.0 * static_cast<double>(rows * cols * tokens), static_cast<double>(size));
}

void attention_benchmark(benchmark::State& state, AttentionShape shape, std::size_t rows, std::size_t first) {
  const std::size_t plane = shape.kv_heads * shape.capacity * shape.head, width = shape.kv_heads * shape.group * shape.head;
  const auto keys = some_values(plane), values = some_values(plane), q = some_values(rows * width);
  std::vector<float> out(rows * width);
  for (auto _ : state) {
    attention(shape, q.data(), rows, keys.data(), values.data(), first, out.data());
    benchmark::ClobberMemory();
  }
  double pairs = 0.0;
  for (std::size_t r = 0; r < rows; ++r) pairs += static_cast<double>(first + r + 1);
  const double heads = static_cast<double>(shape.kv_heads * shape.group), head = static_cast<double>(shape.head);
  set_rates(state, 4.0 * pairs * heads * head,
            8.0 * static_cast<double>((first + rows) * shape.kv_heads * shape.head));
}

void rms_norm_benchmark(benchmark::State& state, std::size_t rows, std::size_t width) {
  const auto gain = some_values(width);
  const std::vector<double> x(rows * width, 0.25);
  std::vector<float> y(rows * width);
  for (auto _ : state) {
    rms_norm(x.data(), gain.data(), 1e-5, rows, width, y.data());
    benchmark::ClobberMemory();
  }
  set_rates(state, 4.0 * static_cast<double>(rows * width), 8.0 * static_cast<double>(rows * width));
}

void swiglu_benchmark(benchmark::State& state, std::size_t count) {
  const auto gate = some_values(count), up = some_values(count);
  std::vector<float> y(count);
  for (auto _ : state) {
    swiglu(gate.data(), up.data(), count, y.data());
    benchmark::ClobberMemory();
  }
  set_rates(state, 30.0 * static_cast<double>(count), 8.0 * static_cast<double>(count));
}

void rope_benchmark(benchmark::State& state, std::size_t rows, std::size_t heads) {
  static constexpr auto frequency = inverse_frequencies<32>(100000.0);
  const auto x = some_values(rows * heads * 64);
  std::vector<float> y(x.size());
  for (auto _ : state) {
    rope(x.data(), rows, heads, frequency, 1000, y.data());
    benchmark::ClobberMemory();
  }
  set_rates(state, 3.0 * static_cast<double>(x.size()), 4.0 * static_cast<double>(x.size()));
}

void add_matmuls() {
  constexpr std::pair<std::size_t, std::size_t> shapes[] = {{1536, 576}, {576, 1536}, {2560, 960}, {8192, 2048}};
  for (const Storage storage : {Storage::f32, Storage::bf16, Storage::f16, Storage::q8_0, Storage::q4_1, Storage::q4_0})
    for (const auto& [rows, cols] : shapes)
      for (const std::size_t tokens : {std::size_t{1}, std::size_t{256}}) {
        const bool cold = tokens == 1;
        const std::string name = "matmul/" + std::string(block_shape(storage).name) + "/" + std::to_string(rows) + "x" +
                                 std::to_string(cols) + "/tokens:" + std::to_string(tokens) + (cold ? "/from_memory" : "");
        benchmark::RegisterBenchmark(name.c_str(), [=, r = rows, c = cols](benchmark::State& state) {
          matmul_benchmark(state, storage, r, c, tokens, cold);
        })->UseRealTime();
      }
}

void add_others() {
  constexpr AttentionShape m135{3, 3, 64, 8192}, m1700{32, 1, 64, 8192};
  const auto add = [](const std::string& name, auto run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->UseRealTime();
  };
  for (const std::size_t first : {std::size_t{255}, std::size_t{2000}, std::size_t{8000}}) {
    const std::string at = "/keys:" + std::to_string(first + 1);
    add("attention/135M/decode" + at, [=](benchmark::State& s) { attention_benchmark(s, m135, 1, first); });
    add("attention/1.7B/decode" + at, [=](benchmark::State& s) { attention_benchmark(s, m1700, 1, first); });
  }
  add("attention/135M/prefill:256", [=](benchmark::State& s) { attention_benchmark(s, m135, 256, 0); });
  add("rms_norm/1x576", [](benchmark::State& s) { rms_norm_benchmark(s, 1, 576); });
  add("rms_norm/256x576", [](benchmark::State& s) { rms_norm_benchmark(s, 256, 576); });
  add("swiglu/1536", [](benchmark::State& s) { swiglu_benchmark(s, 1536); });
  add("swiglu/256x1536", [](benchmark::State& s) { swiglu_benchmark(s, 256 * 1536); });
  add("rope/1x9", [](benchmark::State& s) { rope_benchmark(s, 1, 9); });
  add("rope/256x9", [](benchmark::State& s) { rope_benchmark(s, 256, 9); });
}

}  // namespace

int main(int argc, char** argv) {
  const char* count = std::getenv("LAWFUL_THREADS");
  use_threads(count != nullptr ? std::atoi(count) : 1);
  fma_limit = measure_fma_rate(0.5);
  read_limit = measure_read_bandwidth(std::size_t{256} << 20);
  benchmark::AddCustomContext("threads", std::to_string(threads()));
  benchmark::AddCustomContext("FMA GFLOP/s", std::to_string(fma_limit / 1e9));
  benchmark::AddCustomContext("read GB/s", std::to_string(read_limit / 1e9));
  add_matmuls();
  add_others();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
