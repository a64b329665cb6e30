// Matrix products against the plain scalar dot product, bit for bit, on every instruction set and thread count.
#include "kernels/matmul.hpp"
#include "kernels/order.hpp"
#include "props/kernels/settings.hpp"
#include "props/kernels/stored.hpp"

#include <algorithm>
#include <cmath>

namespace {

using namespace lawful::props;
using lawful::kernels::block_shape;
using lawful::kernels::Order;
using lawful::kernels::Product;
using lawful::kernels::Storage;

constexpr Storage storages[] = {Storage::f32,  Storage::f16,  Storage::bf16, Storage::q8_0, Storage::q4_0,
                                Storage::q4_1, Storage::q5_0, Storage::q5_1, Storage::q4_k, Storage::q6_k};
constexpr std::size_t column_counts[] = {32, 64, 160, 192, 256, 288, 320, 352,  // about the ends of blocks
                                         576, 960, 1536, 8192};

/// W·x by the plain dot product: out[token · rows + row].
std::vector<double> plain_product(const std::vector<float>& weights, std::size_t rows, std::size_t cols,
                                  const std::vector<float>& x, std::size_t tokens) {
  std::vector<double> out(tokens * rows);
  for (std::size_t t = 0; t < tokens; ++t)
    for (std::size_t r = 0; r < rows; ++r)
      out[t * rows + r] = lawful::kernels::dot(&weights[r * cols], &x[t * cols], cols);
  return out;
}

std::vector<float> rounded(const std::vector<double>& values) {
  std::vector<float> out(values.size());
  std::transform(values.begin(), values.end(), out.begin(), [](double v) { return static_cast<float>(v); });
  return out;
}

/// The kernel's products of several matrices with the same x, each into memory of its own.
template <class Number>
std::vector<std::vector<Number>> products_of(const std::vector<const Stored*>& weights, const std::vector<float>& x,
                                             std::size_t tokens) {
  std::vector<std::vector<Number>> out;
  for (const auto* w : weights) out.emplace_back(tokens * w->matrix.rows, Number(-1));
  std::vector<Product<Number>> products;
  for (std::size_t i = 0; i < weights.size(); ++i) products.push_back({weights[i]->matrix, out[i].data()});
  lawful::kernels::matmul(std::span<const Product<Number>>(products), x.data(), tokens);
  return out;
}

/// Checks matrices of these row counts, together in one call, against plain products; Number float and double.
void check_products(const std::vector<Stored>& weights, const std::vector<float>& x, std::size_t tokens) {
  std::vector<const Stored*> all;
  std::vector<std::vector<double>> exact;
  std::vector<std::vector<float>> single;
  for (const auto& w : weights) {
    all.push_back(&w);
    exact.push_back(plain_product(widened(w.matrix), w.matrix.rows, w.matrix.cols, x, tokens));
    single.push_back(rounded(exact.back()));
  }
  on_every_setting([&] {
    const auto doubles = products_of<double>(all, x, tokens);
    const auto floats = products_of<float>(all, x, tokens);
    for (std::size_t i = 0; i < all.size(); ++i) {
      check_bits(doubles[i], exact[i]);
      check_bits(floats[i], single[i]);
    }
  });
}

}  // namespace

TEST_CASE("each product is the plain dot product over the widened row, for every storage and length") {
  Numbers numbers(1);
  for (const Storage storage : storages)
    for (const std::size_t cols : column_counts) {
      if (cols % block_shape(storage).values != 0) continue;
      for (const std::size_t tokens : {std::size_t{1}, 2 + numbers.below(12)}) {
        INFO(std::string(block_shape(storage).name), ", ", cols, " columns, ", tokens, " tokens");
        std::vector<Stored> weights;
        weights.push_back(random_stored(storage, 5 + numbers.below(3), cols, numbers));
        check_products(weights, numbers.values(tokens * cols), tokens);
      }
    }
}

TEST_CASE("a product does not depend on how many tokens, rows and matrices are computed beside it") {
  Numbers numbers(2);
  for (std::size_t tokens = 1; tokens <= 14; ++tokens) {
    const std::size_t count = tokens == 14 ? 37 : tokens, cols = tokens % 2 == 0 ? 288 : 576;
    INFO(count, " tokens");
    std::vector<Stored> weights;
    for (const std::size_t rows : {std::size_t{1}, std::size_t{70}, 2 + numbers.below(40)})
      weights.push_back(random_stored(storages[numbers.below(6)], rows, cols, numbers));
    check_products(weights, numbers.values(count * cols), count);
  }
}

TEST_CASE("rows in interleaved pairs come out as the straight rows") {
  Numbers numbers(3);
  for (const Storage storage : storages)
    for (const std::size_t tokens : {1, 2, 7, 13}) {
      constexpr std::size_t half = 4, rows = 5 * 2 * half, cols = 256;
      INFO(std::string(block_shape(storage).name), ", ", tokens, " tokens");
      const Stored straight = random_stored(storage, rows, cols, numbers);
      const Stored interleaved = in_interleaved_pairs(straight, half);
      const auto x = numbers.values(tokens * cols);
      const auto expected = plain_product(widened(straight.matrix), rows, cols, x, tokens);
      on_every_setting([&] { check_bits(products_of<double>({&interleaved}, x, tokens)[0], expected); });
    }
}

TEST_CASE("a storage gives the bits of the same values stored as F32") {
  Numbers numbers(4);
  for (const Storage storage : storages)
    for (const std::size_t tokens : {1, 6}) {
      constexpr std::size_t rows = 9, cols = 512;
      INFO(std::string(block_shape(storage).name), ", ", tokens, " tokens");
      const Stored packed = random_stored(storage, rows, cols, numbers);
      const Stored plain = stored_f32(widened(packed.matrix), rows, cols);
      const auto x = numbers.values(tokens * cols);
      on_every_setting([&] {
        check_bits(products_of<float>({&packed}, x, tokens)[0], products_of<float>({&plain}, x, tokens)[0]);
      });
    }
}

TEST_CASE("no terms are lost beside zeros, subnormals, and values that cancel") {
  Numbers numbers(5);
  constexpr std::size_t rows = 6, cols = 320;
  for (const std::size_t tokens : {1, 5}) {
    auto weights = numbers.values(rows * cols, -126, 20);
    for (std::size_t i = 0; i < weights.size(); i += 7) weights[i] = i % 2 == 0 ? 0.0F : -0.0F;
    for (std::size_t i = 3; i < weights.size(); i += 11) weights[i] = 0x1p-149F * static_cast<float>(i);
    for (std::size_t i = 1; i + 16 < cols; i += 5) weights[i + 16] = -weights[i];
    auto x = numbers.values(tokens * cols, -20, 20);
    for (std::size_t i = 1; i + 16 < cols; i += 5) x[i + 16] = x[i];
    std::vector<Stored> all;
    all.push_back(stored_f32(weights, rows, cols));
    check_products(all, x, tokens);
  }
}

TEST_CASE("lanes and blocks are added in the one tree: seen where their sums are too far apart for a double") {
  Numbers numbers(8);
  for (const std::size_t tokens : {1, 3, 13}) {
    constexpr std::size_t rows = 40, cols = 768;
    std::vector<Stored> all;
    all.push_back(stored_f32(numbers.values(rows * cols, -30, 29), rows, cols));
    check_products(all, numbers.values(tokens * cols, -30, 29), tokens);
  }
}

TEST_CASE("NaN and infinity in a row or a token reach exactly the products they belong to") {
  Numbers numbers(6);
  constexpr std::size_t rows = 7, cols = 288;
  for (const std::size_t tokens : {1, 5})
    for (const float bad : {std::bit_cast<float>(0x7fc00000U), std::bit_cast<float>(0x7f800000U)}) {
      auto weights = numbers.values(rows * cols);
      auto x = numbers.values(tokens * cols);
      weights[4 * cols + 287] = bad;
      x[(tokens - 1) * cols + 3] = bad;
      const Stored w = stored_f32(weights, rows, cols);
      on_every_setting([&] {
        const auto out = products_of<float>({&w}, x, tokens)[0];
        std::size_t wrong = 0;
        for (std::size_t t = 0; t < tokens; ++t)
          for (std::size_t r = 0; r < rows; ++r)
            wrong += std::isfinite(out[t * rows + r]) == (r == 4 || t == tokens - 1) ? 1U : 0U;
        CHECK(wrong == 0);
      });
    }
}

TEST_CASE("the comparison sees another order of addition") {
  Numbers numbers(7);
  constexpr std::size_t cols = 576;
  const auto a = numbers.values(cols), b = numbers.values(cols);
  const double expected = lawful::kernels::dot(a.data(), b.data(), cols);
  const auto summed = [&](auto place, std::size_t lanes, auto add) {
    std::vector<float> lane(lanes, 0.0F);
    for (std::size_t k = 0; k < cols; ++k) add(lane[place(k)], a[k], b[k]);
    double sum = 0;
    for (const float l : lane) sum += static_cast<double>(l);
    return sum;
  };
  const auto fused = [](float& acc, float x, float y) { acc = __builtin_fmaf(x, y, acc); };
  const auto unfused = [](float& acc, float x, float y) { const float p = x * y; acc = acc + p; };
  CHECK(summed([](std::size_t) { return std::size_t{0}; }, 1, fused) != expected);         // one run
  CHECK(summed([](std::size_t k) { return k % 16; }, 16, fused) != expected);              // no blocks
  CHECK(summed([](std::size_t k) { return k / 320 * 8 + k % 8; }, 16, fused) != expected); // eight lanes
  CHECK(summed([](std::size_t k) { return k / 320 * 16 + k % 16; }, 32, unfused) != expected);
}
