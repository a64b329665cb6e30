// Products of few tokens: the weights are read once, straight from storage.
#if defined(LAWFUL_KERNELS_MATMUL_DIRECT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LAWFUL_KERNELS_MATMUL_DIRECT_INL
#undef LAWFUL_KERNELS_MATMUL_DIRECT_INL
#else
#define LAWFUL_KERNELS_MATMUL_DIRECT_INL
#endif

#include "kernels/lanes-inl.hpp"
#include "kernels/matmul_plan.hpp"
#include "kernels/scratch.hpp"
#include "kernels/team.hpp"
#include "kernels/widen-inl.hpp"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace lawful::kernels::HWY_NAMESPACE {

template <Storage S>
inline constexpr int fetch_level = pair_bytes<S>() < 64 ? 3 : 2;  // of __builtin_prefetch: first-level, second-level

inline constexpr std::size_t long_row = 4096;  // bytes

/// Tokens that go over the weights together: as many as have accumulators in registers.
inline constexpr std::size_t direct_tokens = vf_parts == 1 ? 8 : 1;

/// panel_rows rows times `tokens` rows of x, straight from storage. Rows past `count` and tokens past `token_count`
/// repeat the last, and are not wanted.
template <Storage S, std::size_t tokens, class Number>
HWY_INLINE void direct_dots(const StoredMatrix& w, std::size_t row, std::size_t count, const float* x,
                            std::size_t token_count, Number* out) {
  const std::size_t row_bytes = w.cols / pair_values * pair_bytes<S>();
  const std::byte* p[panel_rows];
  for (std::size_t r = 0; r < panel_rows; ++r) p[r] = w.bytes + stored_row(w, row + std::min(r, count - 1)) * row_bytes;
  const float* xs[tokens];
  for (std::size_t t = 0; t < tokens; ++t) xs[t] = x + std::min(t, token_count - 1) * w.cols;
  // Rows that come later, fetched in the order in which they lie: the next but one four, or where those are far away the
  // next. Quantized ones go to the first-level cache; wider ones would fill it, and their streams are plain enough for
  // the processor to bring them from the second.
  const std::byte* ahead = p[0] + (row_bytes > long_row ? 1 : 2) * panel_rows * row_bytes;
  constexpr std::size_t together = tokens > 2 ? panel_rows / 2 : panel_rows;  // rows with accumulators in registers
  const auto block = [&](std::size_t begin, std::size_t first, Lanes(&acc)[tokens][together]) HWY_ATTR {
    const std::size_t end = std::min(begin + Order::block, w.cols);
    for (auto& token : acc)
      for (auto& a : token) a = zero_lanes();
    for (std::size_t k = begin; k < end; k += pair_values) {
      for (std::size_t b = 0; b < together * pair_bytes<S>(); b += 64)
        __builtin_prefetch(ahead + b, 0, fetch_level<S>);
      ahead += together * pair_bytes<S>();
      if constexpr (tokens > 4) {  // the registers hold the accumulators, the rows' weights and one token's values
        Pair weights[together];
        for (std::size_t r = 0; r < together; ++r) {
          weights[r] = widen_pair<S>(p[first + r]);
          p[first + r] += pair_bytes<S>();
        }
        for (std::size_t t = 0; t < tokens; ++t) {
          const Lanes one = load_lanes(xs[t] + k), two = load_lanes(xs[t] + k + Order::lanes);
          for (std::size_t r = 0; r < together; ++r) {
            acc[t][r] = fused_lanes(weights[r].first, one, acc[t][r]);
            acc[t][r] = fused_lanes(weights[r].second, two, acc[t][r]);
          }
        }
      } else {
        Pair values[tokens];
        for (std::size_t t = 0; t < tokens; ++t)
          values[t] = {load_lanes(xs[t] + k), load_lanes(xs[t] + k + Order::lanes)};
        for (std::size_t r = 0; r < together; ++r) {
          const Pair weights = widen_pair<S>(p[first + r]);
          p[first + r] += pair_bytes<S>();
          for (std::size_t t = 0; t < tokens; ++t) {
            acc[t][r] = fused_lanes(weights.first, values[t].first, acc[t][r]);
            acc[t][r] = fused_lanes(weights.second, values[t].second, acc[t][r]);
          }
        }
      }
    }
  };
  Lanes total[tokens][panel_rows];
  for (std::size_t first = 0; first < panel_rows; first += together) {
    Lanes acc[tokens][together];
    block(0, first, acc);
    for (std::size_t t = 0; t < tokens; ++t)
      for (std::size_t r = 0; r < together; ++r) total[t][first + r] = acc[t][r];
    for (std::size_t begin = Order::block; begin < w.cols; begin += Order::block) {
      block(begin, first, acc);
      for (std::size_t t = 0; t < tokens; ++t)
        for (std::size_t r = 0; r < together; ++r)
          total[t][first + r] = add_lanes(total[t][first + r], acc[t][r]);
    }
  }
  for (std::size_t t = 0; t < token_count; ++t) {
    Number all[panel_rows];
    store_sums(total[t], all);
    std::copy_n(all, count, out + t * w.rows + row);
  }
}

template <Storage S, std::size_t tokens, class Number>
void direct_rows(const typename Tasks<Number>::Task& task, const float* x, std::size_t token_count) {
  for (std::size_t row = task.row; row < task.row + task.rows; row += panel_rows)
    direct_dots<S, tokens>(task.product->weights, row, std::min(panel_rows, task.row + task.rows - row), x, token_count,
                           task.product->out);
}

template <Storage S, class Number>
void direct_task(const typename Tasks<Number>::Task& task, const float* x, std::size_t tokens) {
  if (tokens == 1) return direct_rows<S, 1, Number>(task, x, tokens);
  if constexpr (direct_tokens > 1) {
    if (tokens == 2) return direct_rows<S, 2, Number>(task, x, tokens);
    if (tokens <= 4) return direct_rows<S, 4, Number>(task, x, tokens);
    if (tokens <= 6) return direct_rows<S, 6, Number>(task, x, tokens);
    direct_rows<S, direct_tokens, Number>(task, x, tokens);
  }
}

constexpr bool has_direct_form(Storage s) { return s <= Storage::q4_1; }

template <class Number>
void run_direct(const typename Tasks<Number>::Task& task, const float* x, std::size_t tokens) {
  switch (task.product->weights.storage) {
    case Storage::f32: return direct_task<Storage::f32, Number>(task, x, tokens);
    case Storage::bf16: return direct_task<Storage::bf16, Number>(task, x, tokens);
    case Storage::f16: return direct_task<Storage::f16, Number>(task, x, tokens);
    case Storage::q8_0: return direct_task<Storage::q8_0, Number>(task, x, tokens);
    case Storage::q4_0: return direct_task<Storage::q4_0, Number>(task, x, tokens);
    default: return direct_task<Storage::q4_1, Number>(task, x, tokens);
  }
}

/// Few tokens, at most direct_tokens.
template <class Number>
void multiply_direct(std::span<const Product<Number>> products, const float* x, std::size_t tokens) {
  const Tasks<Number> tasks(products);
  parallel(tasks.list.size(), [&](std::size_t i) { run_direct<Number>(tasks.list[i], x, tokens); });
}

}  // namespace lawful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
