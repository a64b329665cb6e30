// Runs one kernel twice on fixed values, on one thread and AVX2 (which valgrind knows); bench/instruction_guard counts
// the instructions of the second run.
#include "kernels/attention.hpp"
#include "kernels/isa.hpp"
#include "kernels/matmul.hpp"
#include "kernels/rms_norm.hpp"
#include "kernels/rope.hpp"
#include "kernels/swiglu.hpp"
#include "kernels/team.hpp"

#include <cstdio>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace lawful::kernels;
using Kernel = std::function<void()>;

Kernel matmul_kernel(Storage storage, std::size_t tokens) {
  constexpr std::size_t rows = 192, cols = 576;
  StoredMatrix w{nullptr, rows, cols, storage, RowOrder::straight, 0};
  return [w, tokens, bytes = std::vector<std::byte>(w.row_bytes() * rows, std::byte{0x11}),
          x = std::vector<float>(tokens * cols, 0.5f), y = std::vector<float>(tokens * rows)]() mutable {
    w.bytes = bytes.data();
    const Product<float> product{w, y.data()};
    matmul(std::span(&product, 1), x.data(), tokens);
  };
}

Kernel attention_kernel(std::size_t rows, std::size_t first) {
  constexpr AttentionShape shape{3, 3, 64, 512};
  const std::size_t plane = shape.kv_heads * shape.capacity * shape.head, width = rows * 576;
  return [=, keys = std::vector<float>(plane, 0.25f), values = std::vector<float>(plane, 0.5f),
          q = std::vector<float>(width, 0.125f), out = std::vector<float>(width)]() mutable {
    attention(shape, q.data(), rows, keys.data(), values.data(), first, out.data());
  };
}

const std::map<std::string, Kernel>& kernels() {
  static const std::map<std::string, Kernel> all = [] {
    std::map<std::string, Kernel> out;
    for (const Storage s : {Storage::f32, Storage::bf16, Storage::f16, Storage::q8_0, Storage::q4_0, Storage::q4_1})
      for (const std::size_t tokens : {std::size_t{1}, std::size_t{24}})
        out["matmul_" + std::string(block_shape(s).name) + (tokens == 1 ? "_decode" : "_prefill")] = matmul_kernel(s, tokens);
    out["attention_decode"] = attention_kernel(1, 400);
    out["attention_prefill"] = attention_kernel(48, 0);
    out["rms_norm"] = [x = std::vector<double>(8 * 576, 0.5), gain = std::vector<float>(576, 1.0f),
                       y = std::vector<float>(8 * 576)]() mutable {
      rms_norm(x.data(), gain.data(), 1e-5, 8, 576, y.data());
    };
    out["swiglu"] = [x = std::vector<float>(8 * 1536, 0.5f), y = std::vector<float>(8 * 1536)]() mutable {
      swiglu(x.data(), x.data(), x.size(), y.data());
    };
    out["rope"] = [x = std::vector<float>(8 * 576, 0.5f), y = std::vector<float>(8 * 576)]() mutable {
      static constexpr auto frequency = inverse_frequencies<32>(100000.0);
      rope(x.data(), 8, 9, frequency, 100, y.data());
    };
    return out;
  }();
  return all;
}

}  // namespace

/// What callgrind collects: nothing else of the program.
extern "C" __attribute__((noinline)) void measured_kernel(const Kernel& run) { run(); }

int main(int argc, char** argv) {
  if (argc == 1) {
    for (const auto& [name, kernel] : kernels()) std::puts(name.c_str());
    return 0;
  }
  const auto kernel = kernels().find(argv[1]);
  if (argc != 2 || kernel == kernels().end()) {
    std::fputs("usage: run_kernel [NAME]; without arguments, the names\n", stderr);
    return 2;
  }
  use_threads(1);
  if (!use_instruction_set("avx2")) {
    std::fputs("run_kernel: expected a processor with AVX2\n", stderr);
    return 1;
  }
  kernel->second();
  measured_kernel(kernel->second);
}
