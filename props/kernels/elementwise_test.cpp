// RMSNorm, SwiGLU and RoPE against plain scalar code, bit for bit, on every instruction set and thread count.
#include "kernels/rms_norm.hpp"
#include "kernels/rope.hpp"
#include "kernels/swiglu.hpp"
#include "props/kernels/numbers.hpp"
#include "props/kernels/plain.hpp"
#include "props/kernels/settings.hpp"

#include <cmath>
#include <limits>

namespace {

using namespace lawful::props;
namespace kernels = lawful::kernels;

/// Values of the residual stream: doubles that no float holds.
std::vector<double> doubles(Numbers& numbers, std::size_t count) {
  std::vector<double> out(count);
  for (auto& x : out) {
    const double fine = 0x1p-52 * static_cast<double>(numbers.below(1U << 29U));
    x = static_cast<double>(numbers.value()) * (1.0 + fine);
  }
  return out;
}

}  // namespace

TEST_CASE("RMSNorm is the plain one, for every width and count of rows") {
  Numbers numbers(11);
  for (const std::size_t width : {16, 96, 576, 960, 2048})
    for (const std::size_t rows : {1, 2, 3, 17, 40}) {
      INFO(rows, " rows of ", width);
      const auto x = doubles(numbers, rows * width);
      const auto gain = numbers.values(width);
      const auto expected = plain_rms_norm(x, gain, 1e-5, rows);
      on_every_setting([&] {
        std::vector<float> y(x.size(), -1.0F);
        kernels::rms_norm(x.data(), gain.data(), 1e-5, rows, width, y.data());
        check_bits(y, expected);
      });
    }
}

TEST_CASE("a row of zeros is normed to zeros, and one row's NaN stays in its row") {
  constexpr std::size_t width = 96;
  std::vector<double> x(3 * width, 0.0);
  x[width + 5] = std::numeric_limits<double>::quiet_NaN();
  const std::vector<float> gain(width, 1.0F);
  on_every_setting([&] {
    std::vector<float> y(x.size(), -1.0F);
    kernels::rms_norm(x.data(), gain.data(), 1e-5, 3, width, y.data());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < y.size(); ++i) wrong += i / width == 1 ? !std::isnan(y[i]) : y[i] != 0.0F;
    CHECK(wrong == 0);
  });
}

TEST_CASE("SwiGLU is the plain one, at every size about a thread's share and for every magnitude") {
  Numbers numbers(12);
  for (const std::size_t count : {16, 160, 1536, 4096, 4112, 8192, 3 * 4096 + 160}) {
    INFO(count, " values");
    auto gate = numbers.values(count, -30, 10);
    const auto up = numbers.values(count, -10, 10);
    gate[0] = 0.0F, gate[1] = -0.0F, gate[2] = 700.0F, gate[3] = -700.0F, gate[4] = 88.8F, gate[5] = -103.9F;
    gate[6] = -1e30F, gate[7] = 1e30F, gate[8] = 0x1p-149F;
    const auto expected = plain_swiglu(gate, up);
    on_every_setting([&] {
      std::vector<float> y(count, -1.0F);
      kernels::swiglu(gate.data(), up.data(), count, y.data());
      check_bits(y, expected);
      std::vector<float> over = gate;  // in place
      kernels::swiglu(over.data(), up.data(), count, over.data());
      check_bits(over, expected);
    });
  }
}

TEST_CASE("the exponential is the plain one") {
  Numbers numbers(13);
  std::vector<float> x(1 << 16);
  for (auto& v : x) v = numbers.value(-40, 8);
  x[0] = std::numeric_limits<float>::infinity(), x[1] = -x[0], x[2] = 0.0F, x[3] = -0.0F;
  std::vector<float> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = static_cast<float>(plain_exp(static_cast<double>(x[i])));
  on_every_setting([&] {
    std::vector<float> y(x.size(), -1.0F);
    kernels::exp_f32(x.data(), x.size(), y.data());
    check_bits(y, expected);
  });
}

TEST_CASE("RoPE is the plain one, at the first and the last positions") {
  Numbers numbers(14);
  const auto published = kernels::inverse_frequencies<32>(100000.0);
  const auto small = kernels::inverse_frequencies<16>(10000.0);
  for (const auto& frequency : {std::vector<float>(published.begin(), published.end()),
                                std::vector<float>(small.begin(), small.end())})
    for (const std::size_t heads : {1, 3, 9, 32})
      for (const std::size_t rows : {1, 2, 13})
        for (const std::size_t first : {0, 1, 511, 8191 - 12}) {
          INFO(rows, " rows of ", heads, " heads of ", 2 * frequency.size(), " from position ", first);
          const auto x = numbers.values(rows * heads * 2 * frequency.size());
          const auto expected = plain_rope(x, heads, frequency, first);
          on_every_setting([&] {
            std::vector<float> y(x.size(), -1.0F);
            kernels::rope(x.data(), rows, heads, frequency, first, y.data());
            check_bits(y, expected);
          });
        }
}

TEST_CASE("RoPE turns heads of any width, and writes nothing past their ends") {
  Numbers numbers(64);
  for (const std::size_t half : {1, 2, 3, 7, 8, 9, 12, 15, 20}) {
    INFO("half a head: ", half);
    const std::vector<float> frequency(half, 0.37F);
    const auto x = numbers.values(2 * 3 * 2 * half);
    const auto expected = plain_rope(x, 3, frequency, 5);
    on_every_setting([&] {
      std::vector<float> y(x.size() + 16, -1.0F);
      kernels::rope(x.data(), 2, 3, frequency, 5, y.data());
      check_bits(std::vector<float>(y.begin(), y.end() - 16), expected);
      CHECK(std::vector<float>(y.end() - 16, y.end()) == std::vector<float>(16, -1.0F));
    });
  }
}
