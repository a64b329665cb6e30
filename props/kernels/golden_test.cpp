// Digests of results of each kernel. Every build of every compiler and machine must give these bits, so that builds can
// be compared without each other: the same constants are checked in release, debug, clang++ and AArch64 builds.
#include "io/sha256.hpp"
#include "kernels/attention.hpp"
#include "kernels/matmul.hpp"
#include "kernels/rms_norm.hpp"
#include "kernels/rope.hpp"
#include "kernels/swiglu.hpp"
#include "props/kernels/settings.hpp"
#include "props/kernels/stored.hpp"

namespace {

using namespace lawful::props;
namespace kernels = lawful::kernels;

template <class T>
std::string digest(const std::vector<T>& values) {
  return lawful::io::hex(lawful::io::sha256(std::as_bytes(std::span(values)))).substr(0, 16);
}

/// Products of 37 rows of every storage with 1 and with 13 tokens.
std::vector<double> products() {
  Numbers numbers(71);
  std::vector<double> all;
  for (std::size_t storage = 0; storage < kernels::block_shapes.size(); ++storage)
    for (const std::size_t tokens : {1, 13}) {
      constexpr std::size_t rows = 37, cols = 768;
      const Stored w = random_stored(static_cast<kernels::Storage>(storage), rows, cols, numbers);
      const auto x = numbers.values(tokens * cols);
      std::vector<double> out(tokens * rows);
      const kernels::Product<double> product{w.matrix, out.data()};
      kernels::matmul(std::span(&product, 1), x.data(), tokens);
      all.insert(all.end(), out.begin(), out.end());
    }
  return all;
}

std::vector<float> norms() {
  Numbers numbers(72);
  constexpr std::size_t rows = 5, width = 576;
  std::vector<double> x(rows * width);
  for (auto& v : x) v = static_cast<double>(numbers.value()) + 0x1p-40 * static_cast<double>(numbers.value());
  std::vector<float> y(x.size());
  kernels::rms_norm(x.data(), numbers.values(width).data(), 1e-5, rows, width, y.data());
  return y;
}

std::vector<float> activations() {
  Numbers numbers(73);
  std::vector<float> y(20000);
  const auto gate = numbers.values(y.size(), -20, 8), up = numbers.values(y.size());
  kernels::swiglu(gate.data(), up.data(), y.size(), y.data());
  return y;
}

std::vector<float> exponentials() {
  Numbers numbers(74);
  std::vector<float> y(20000);
  kernels::exp_f32(numbers.values(y.size(), -20, 5).data(), y.size(), y.data());
  return y;
}

std::vector<float> rotations() {
  Numbers numbers(75);
  const auto frequency = kernels::inverse_frequencies<32>(100000.0);
  std::vector<float> y(7 * 9 * 64);
  kernels::rope(numbers.values(y.size()).data(), 7, 9, frequency, 4000, y.data());
  return y;
}

std::vector<float> attended() {
  Numbers numbers(76);
  const kernels::AttentionShape shape{3, 3, 64, 128};
  const auto q = numbers.values(20 * 9 * 64, -4, 1);
  const auto k = numbers.values(3 * 128 * 64, -4, 1), v = numbers.values(3 * 128 * 64, -4, 1);
  std::vector<float> out(q.size());
  kernels::attention(shape, q.data(), 20, k.data(), v.data(), 100, out.data());
  return out;
}

}  // namespace

TEST_CASE("every build gives the committed bits") {
  on_every_setting([] {
    CHECK(digest(products()) == "66d133d944ac501f");
    CHECK(digest(norms()) == "b9f4a2ed1e87a7d9");
    CHECK(digest(activations()) == "7a9018be3ddaf6b9");
    CHECK(digest(exponentials()) == "90337f0fbebdf801");
    CHECK(digest(rotations()) == "eb1c84f29b094297");
    CHECK(digest(attended()) == "c2299fa95823e40b");
  });
}
