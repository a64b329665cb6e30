// Laws of widths, layouts, halves, arrays and reading, on the code that has them.
#pragma once
#include <cstdint>
#include <numeric>
#include <vector>

#include "kernels/rope.hpp"
#include "model/checkpoint/gguf_cursor.hpp"
#include "model/weights.hpp"
#include "props/laws/attention_code.hpp"

namespace lawful::props {

/// Rows of axis A lie `width` numbers apart, as many as were asked for.
template <class A>
void assert_rows(std::size_t count, std::size_t width) {
  model::Rows<A> rows(count);
  RC_ASSERT(rows.count() == count);
  for (std::size_t i = 0; i < count; ++i) {
    RC_ASSERT(rows.row(i).size() == width);
    RC_ASSERT(rows.row(i).data() == rows.data() + i * width);
    for (auto& x : rows.row(i)) x = static_cast<typename A::number>(i);
  }
  for (std::size_t i = 0; i < count; ++i)
    for (const auto x : rows.row(i)) RC_ASSERT(x == static_cast<typename A::number>(i));
}

template <class M, std::size_t dim, std::size_t ffn, std::size_t keys>
struct SizesAtRun {
  static void check() {
    always(fmt::format("activations of {} have the published widths", M::config.name), [] {
      const auto n = number(1, 5);
      assert_rows<model::Residual<M>>(n, dim);
      assert_rows<model::Query<M>>(n, dim);
      assert_rows<model::Key<M>>(n, keys);
      assert_rows<model::Value<M>>(n, keys);
      assert_rows<model::Gate<M>>(n, ffn);
      assert_rows<model::Attended<M>>(n, dim);
      assert_rows<model::Vocab<M>>(1, 49152);
    }, 10);
  }
};
template <>
struct RunningCode<laws::smollm2_135m_sizes> : SizesAtRun<model::smollm2_135m, 576, 1536, 192> {};
template <>
struct RunningCode<laws::smollm2_360m_sizes> : SizesAtRun<model::smollm2_360m, 960, 2560, 320> {};
template <>
struct RunningCode<laws::smollm2_1_7b_sizes> : SizesAtRun<model::smollm2_1_7b, 2048, 8192, 2048> {};

/// The walk that the loader takes over real weights: every tensor it asks for, by name, once.
template <class M, std::size_t tensors, std::size_t values>
struct LayoutAtRun {
  static void check() {
    auto weights = std::make_unique<model::Weights<M>>();
    std::size_t sum = 0;
    std::set<std::string> names;
    model::each_tensor("model", weights->model, [&](const std::string& name, auto& tensor) {
      names.insert(name);
      sum += std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::size_t{1}, std::multiplies<std::size_t>());
    });
    INFO("the tensors that a loader of ", M::config.name, " asks for");
    CHECK(sum == values);
    CHECK(names.size() == tensors);
  }
};
template <>
struct RunningCode<laws::layout_135m> : LayoutAtRun<model::smollm2_135m, 272, 134'515'008> {};
template <>
struct RunningCode<laws::layout_360m> : LayoutAtRun<model::smollm2_360m, 290, 361'821'120> {};
template <>
struct RunningCode<laws::layout_1_7b> : LayoutAtRun<model::smollm2_1_7b, 218, 1'711'376'384> {};

template <>
struct RunningCode<laws::head_split> {
  static void check() {
    always("at position 0 the rotation gives every head back: join(split(xs)) = xs", [] {
      const auto half = number(1, 40), heads = number(1, 4);
      const std::vector<float> frequency(half, 1.0F), x = AttentionCase::floats(2 * half * heads);
      std::vector<float> y(x.size());
      kernels::rope(x.data(), 1, heads, frequency, 0, y.data());
      RC_ASSERT(y == x);
    });
    always("value p turns into itself and its partner half away, and into nothing else", [] {
      const auto half = number(1, 40), p = number(0, 2 * half - 1), partner = p < half ? p + half : p - half;
      std::vector<float> frequency(half, 1.0F), x(2 * half), y(2 * half);
      x[p] = 1.0F;
      kernels::rope(x.data(), 1, 1, frequency, number(1, 3), y.data());
      for (std::size_t i = 0; i < y.size(); ++i) RC_ASSERT((y[i] != 0.0F) == (i == p || i == partner));
    });
  }
};

template <>
struct RunningCode<laws::arrays_len> {
  static void check() {
    always("n rows are n, side by side, and hold what is written to each", [] {
      assert_rows<model::Key<small>>(number(0, 50), small::config.kvw());
      assert_rows<model::Residual<small>>(number(0, 50), small::config.dim());
    });
  }
};

template <>
struct RunningCode<laws::read_len> {
  static void check() {
    always("reading m + 1 values after acc stands at m + 1 + acc, with no value lost or read twice", [] {
      const auto acc = number(0, 200), m = number(0, 50);
      std::vector<std::uint16_t> numbers(acc + m + 1);
      std::iota(numbers.begin(), numbers.end(), std::uint16_t{0});
      model::GgufCursor cursor(std::as_bytes(std::span(numbers)), "numbers");
      for (std::size_t i = 0; i < acc; ++i) RC_ASSERT(cursor.number<std::uint16_t>("acc") == i);
      for (std::size_t i = 0; i < m + 1; ++i) RC_ASSERT(cursor.number<std::uint16_t>("m + 1") == acc + i);
      RC_ASSERT(cursor.position() == (m + 1 + acc) * sizeof(std::uint16_t));
      RC_ASSERT(cursor.remaining() == 0U);
    });
  }
};

}  // namespace lawful::props
