#include "kernels/matmul.hpp"

#include "kernels/index.hpp"
#include "kernels/scratch.hpp"
#include "kernels/targets.hpp"
#include "kernels/team.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matmul.cpp"
#include <hwy/foreach_target.h>

#include "kernels/lanes-inl.hpp"
#include "kernels/widen-inl.hpp"

#ifndef LAWFUL_KERNELS_MATMUL_ONCE
#define LAWFUL_KERNELS_MATMUL_ONCE
namespace lawful::kernels {

inline constexpr std::size_t panel_rows = 4;       // rows of weights widened and used together
inline constexpr std::size_t group_tokens = 6;     // tokens whose activations are packed together
inline constexpr std::size_t direct_rows = 4;      // rows at once without packing, for a single token
inline constexpr std::size_t long_row = 4096;      // bytes
inline constexpr std::size_t task_bytes = 1 << 18;  // a thread takes rows that are this much when widened,
inline constexpr std::size_t least_rows = 8;        // but at least, and at most:
inline constexpr std::size_t most_rows = 32;

static_assert(panel_rows == 4 && direct_rows == 4, "lanes are added up four dot products at a time");

/// Rows of all products as one range, so that threads share them evenly.
template <class Number>
struct Tasks {
  struct Task {
    const Product<Number>* product;
    std::size_t row, rows;
  };
  std::vector<Task> list;

  explicit Tasks(std::span<const Product<Number>> products) {
    const std::size_t most = std::clamp(task_bytes / (sizeof(float) * products[0].weights.cols), least_rows, most_rows);
    const std::size_t rows = most / panel_rows * panel_rows;
    for (const auto& p : products)
      for (std::size_t row = 0; row < p.weights.rows; row += rows)
        list.push_back({&p, row, std::min(rows, p.weights.rows - row)});
  }
};

/// Where the product of stored row `row` belongs: Q and K of a GGUF file lie in interleaved pairs.
constexpr std::size_t stored_row(const StoredMatrix& w, std::size_t row) {
  return w.row_order == RowOrder::straight ? row : Index::interleaved_row(row, w.half_head);
}

}  // namespace lawful::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace lawful::kernels::HWY_NAMESPACE {

template <Storage S>
inline constexpr int fetch_level = pair_bytes<S>() < 64 ? 3 : 2;  // of __builtin_prefetch: first-level, second-level

/// `count` rows times one x, straight from storage; rows past `count` repeat the last and are not wanted.
template <Storage S, bool long_rows, class Number>
HWY_INLINE void direct_dots(const StoredMatrix& w, std::size_t row, std::size_t count, const float* x, Number* out) {
  const std::size_t row_bytes = w.cols / pair_values * pair_bytes<S>();
  const std::byte* p[direct_rows];
  for (std::size_t r = 0; r < direct_rows; ++r) p[r] = w.bytes + stored_row(w, row + std::min(r, count - 1)) * row_bytes;
  // Rows that come later, fetched in the order in which they lie: the next but one four, or where those are far away the
  // next. Quantized ones go to the first-level cache; wider ones would fill it, and their streams are plain enough for
  // the processor to bring them from the second.
  const std::byte* ahead = p[0] + (long_rows ? 1 : 2) * direct_rows * row_bytes;
  const auto block = [&](std::size_t begin, Lanes(&acc)[direct_rows]) HWY_ATTR {
    const std::size_t end = std::min(begin + Order::block, w.cols);
    for (auto& a : acc) a = zero_lanes();
    for (std::size_t k = begin; k < end; k += pair_values) {
      const Lanes x0 = load_lanes(x + k), x1 = load_lanes(x + k + Order::lanes);
      for (std::size_t b = 0; b < direct_rows * pair_bytes<S>(); b += 64)
        __builtin_prefetch(ahead + b, 0, fetch_level<S>);
      ahead += direct_rows * pair_bytes<S>();
      for (std::size_t r = 0; r < direct_rows; ++r) {
        const Pair weights = widen_pair<S>(p[r]);
        p[r] += pair_bytes<S>();
        acc[r] = fused_lanes(weights.first, x0, acc[r]);
        acc[r] = fused_lanes(weights.second, x1, acc[r]);
      }
    }
  };
  Lanes acc[direct_rows];
  Sums total[direct_rows];
  block(0, acc);
  for (std::size_t r = 0; r < direct_rows; ++r) total[r] = widen_lanes(acc[r]);
  for (std::size_t begin = Order::block; begin < w.cols; begin += Order::block) {
    block(begin, acc);
    for (std::size_t r = 0; r < direct_rows; ++r) total[r] = add_sums(total[r], widen_lanes(acc[r]));
  }
  if (count == direct_rows) return store_sums(total, out + row);
  Number all[direct_rows];
  store_sums(total, all);
  std::copy_n(all, count, out + row);
}

template <Storage S, bool long_rows, class Number>
void direct_rows_of(const typename Tasks<Number>::Task& task, const float* x) {
  for (std::size_t row = task.row; row < task.row + task.rows; row += direct_rows)
    direct_dots<S, long_rows>(task.product->weights, row, std::min(direct_rows, task.row + task.rows - row), x,
                              task.product->out);
}

template <Storage S, class Number>
void direct_task(const typename Tasks<Number>::Task& task, const float* x) {
  if (task.product->weights.row_bytes() > long_row)
    return direct_rows_of<S, true, Number>(task, x);
  direct_rows_of<S, false, Number>(task, x);
}

/// Packs up to panel_rows rows as [step][panel_rows][16], widened; rows that are missing are left as they are.
template <Storage S>
HWY_INLINE void pack_rows(const StoredMatrix& w, std::size_t row, std::size_t count, float* panel) {
  for (std::size_t r = 0; r < count; ++r) {
    const std::byte* p = w.bytes + stored_row(w, row + r) * w.row_bytes();
    float* to = panel + r * Order::lanes;
    for (std::size_t k = 0; k < w.cols; k += pair_values, p += pair_bytes<S>()) {
      const Pair weights = widen_pair<S>(p);
      store_lanes(weights.first, to);
      store_lanes(weights.second, to + panel_rows * Order::lanes);
      to += 2 * panel_rows * Order::lanes;
    }
  }
}

/// The same for storages without a vector form.
HWY_INLINE void pack_rows_widened(const StoredMatrix& w, std::size_t row, std::size_t count, float* panel) {
  float* line = thread_scratch<struct WideRow, float>(w.cols);
  for (std::size_t r = 0; r < count; ++r) {
    widen(w.storage, w.bytes + stored_row(w, row + r) * w.row_bytes(), w.cols, line);
    for (std::size_t k = 0; k < w.cols; k += Order::lanes)
      store_lanes(load_lanes(line + k), panel + k * panel_rows + r * Order::lanes);
  }
}

/// Packs up to group_tokens rows of x as [step][tokens][16].
template <std::size_t tokens>
HWY_INLINE void pack_tokens(const float* x, std::size_t cols, float* packed) {
  for (std::size_t t = 0; t < tokens; ++t)
    for (std::size_t k = 0; k < cols; k += Order::lanes)
      store_lanes(load_lanes(x + t * cols + k), packed + k * tokens + t * Order::lanes);
}

// How many dot products go through at once: as many accumulators as the registers hold.
inline constexpr std::size_t tile_rows = vf_parts == 1 ? panel_rows : vf_parts == 2 ? 2 : 1;
inline constexpr std::size_t tile_tokens = vf_parts == 2 ? 3 : group_tokens;

/// Lanes of rows × tokens dot products over one block of the canonical order, from zero, into `lanes`.
/// The panel holds panel_rows rows a step, `packed` and `lanes` hold `stride` tokens.
template <std::size_t rows, std::size_t tokens, std::size_t stride>
HWY_INLINE void tile(const float* panel, const float* packed, std::size_t steps, float* lanes) {
  Lanes acc[rows][tokens];
  for (auto& row : acc)
    for (auto& a : row) a = zero_lanes();
  for (std::size_t s = 0; s < steps; ++s) {
    Lanes w[rows];
    for (std::size_t r = 0; r < rows; ++r) w[r] = load_lanes(panel + r * Order::lanes);
    for (std::size_t t = 0; t < tokens; ++t) {
      const Lanes x = load_lanes(packed + t * Order::lanes);
      for (std::size_t r = 0; r < rows; ++r) acc[r][t] = fused_lanes(w[r], x, acc[r][t]);
    }
    panel += panel_rows * Order::lanes;
    packed += stride * Order::lanes;
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t t = 0; t < tokens; ++t) store_lanes(acc[r][t], lanes + (r * stride + t) * Order::lanes);
}

/// The same for a whole panel and group, tile by tile.
template <std::size_t stride, std::size_t token = 0>
HWY_INLINE void tile_block(const float* panel, const float* packed, std::size_t steps, float* lanes) {
  if constexpr (token < stride) {
    constexpr std::size_t tokens = std::min(tile_tokens, stride - token);
    for (std::size_t row = 0; row < panel_rows; row += tile_rows)
      tile<tile_rows, tokens, stride>(panel + row * Order::lanes, packed + token * Order::lanes, steps,
                                      lanes + (row * stride + token) * Order::lanes);
    tile_block<stride, token + tokens>(panel, packed, steps, lanes);
  }
}

/// The lanes of a finished tile, still to be added up: [block][panel_rows][tokens][16], and where the sums go. They are
/// added while the next tile is being multiplied, since the two keep different units of the processor busy.
template <class Number>
struct Unsummed {
  const float* lanes = nullptr;
  std::size_t blocks = 0, rows = 0, tokens = 0, stride = 0;
  Number* out = nullptr;  // of the first row and token; `stride` values from token to token

  /// Sums for the next token.
  HWY_INLINE void sum_token() {
    const std::size_t row = width * Order::lanes;
    const float* at = lanes;
    Sums total[panel_rows] = {load_sums(at), load_sums(at + row), load_sums(at + 2 * row), load_sums(at + 3 * row)};
    for (std::size_t b = 1; b < blocks; ++b) {
      at += panel_rows * row;
      total[0] = add_sums(total[0], load_sums(at));
      total[1] = add_sums(total[1], load_sums(at + row));
      total[2] = add_sums(total[2], load_sums(at + 2 * row));
      total[3] = add_sums(total[3], load_sums(at + 3 * row));
    }
    if (rows == panel_rows) {
      store_sums(total, out);
    } else {
      Number some[panel_rows];
      store_sums(total, some);
      std::copy_n(some, rows, out);
    }
    lanes += Order::lanes;
    out += stride;
    --tokens;
  }
  HWY_INLINE void sum(std::size_t most) {
    for (; most > 0 && tokens > 0; --most) sum_token();
  }

  std::size_t width = 0;  // tokens of the tile
};

/// One panel times one group of `tokens` packed tokens, into `lanes`; meanwhile `last` is added up.
template <std::size_t tokens, class Number>
HWY_INLINE void panel_times_group(std::size_t cols, const float* panel, const float* packed, float* lanes,
                                  Unsummed<Number>& last) {
  const std::size_t blocks = (cols + Order::block - 1) / Order::block, share = (group_tokens + blocks - 1) / blocks;
  for (std::size_t begin = 0; begin < cols; begin += Order::block) {
    const std::size_t steps = (std::min(begin + Order::block, cols) - begin) / Order::lanes;
    tile_block<tokens>(panel + begin * panel_rows, packed + begin * tokens, steps, lanes);
    last.sum(share);
    lanes += panel_rows * tokens * Order::lanes;
  }
}

template <class Number>
void panel_times_rest(std::size_t tokens, std::size_t cols, const float* panel, const float* packed, float* lanes,
                      Unsummed<Number>& last) {
  switch (tokens) {
    case 1: return panel_times_group<1>(cols, panel, packed, lanes, last);
    case 2: return panel_times_group<2>(cols, panel, packed, lanes, last);
    case 3: return panel_times_group<3>(cols, panel, packed, lanes, last);
    case 4: return panel_times_group<4>(cols, panel, packed, lanes, last);
    case 5: return panel_times_group<5>(cols, panel, packed, lanes, last);
    default: return panel_times_group<6>(cols, panel, packed, lanes, last);
  }
}

HWY_INLINE void pack_rest(std::size_t tokens, const float* x, std::size_t cols, float* packed) {
  switch (tokens) {
    case 1: return pack_tokens<1>(x, cols, packed);
    case 2: return pack_tokens<2>(x, cols, packed);
    case 3: return pack_tokens<3>(x, cols, packed);
    case 4: return pack_tokens<4>(x, cols, packed);
    case 5: return pack_tokens<5>(x, cols, packed);
    default: return pack_tokens<6>(x, cols, packed);
  }
}

HWY_INLINE void pack_panel(const StoredMatrix& w, std::size_t row, std::size_t count, float* panel) {
  switch (w.storage) {
    case Storage::f32: return pack_rows<Storage::f32>(w, row, count, panel);
    case Storage::bf16: return pack_rows<Storage::bf16>(w, row, count, panel);
    case Storage::f16: return pack_rows<Storage::f16>(w, row, count, panel);
    case Storage::q8_0: return pack_rows<Storage::q8_0>(w, row, count, panel);
    case Storage::q4_0: return pack_rows<Storage::q4_0>(w, row, count, panel);
    case Storage::q4_1: return pack_rows<Storage::q4_1>(w, row, count, panel);
    default: return pack_rows_widened(w, row, count, panel);
  }
}

constexpr bool has_direct_form(Storage s) { return s <= Storage::q4_1; }

template <class Number>
void run_direct(const typename Tasks<Number>::Task& task, const float* x) {
  switch (task.product->weights.storage) {
    case Storage::f32: return direct_task<Storage::f32, Number>(task, x);
    case Storage::bf16: return direct_task<Storage::bf16, Number>(task, x);
    case Storage::f16: return direct_task<Storage::f16, Number>(task, x);
    case Storage::q8_0: return direct_task<Storage::q8_0, Number>(task, x);
    case Storage::q4_0: return direct_task<Storage::q4_0, Number>(task, x);
    default: return direct_task<Storage::q4_1, Number>(task, x);
  }
}

template <class Number>
void decode(std::span<const Product<Number>> products, const float* x) {
  const Tasks<Number> tasks(products);
  parallel(tasks.list.size(), [&](std::size_t i) { run_direct<Number>(tasks.list[i], x); });
}

/// One task's rows times all packed tokens: its panels stay in the second-level cache, a group of tokens in the first.
template <class Number>
void run_packed(const typename Tasks<Number>::Task& task, const float* packed, std::size_t tokens) {
  const auto& w = task.product->weights;
  const std::size_t panels = (task.rows + panel_rows - 1) / panel_rows, panel_size = panel_rows * w.cols;
  const std::size_t blocks = (w.cols + Order::block - 1) / Order::block;
  const std::size_t tile_lanes = blocks * panel_rows * group_tokens * Order::lanes;
  float* panel = thread_scratch<struct Panels, float>(panels * panel_size);
  float* lanes = thread_scratch<struct TileLanes, float>(2 * tile_lanes);
  float* other = lanes + tile_lanes;
  for (std::size_t i = 0; i < panels; ++i) {
    const std::size_t rows = std::min(panel_rows, task.rows - i * panel_rows);
    if (rows < panel_rows) std::fill_n(panel + i * panel_size, panel_size, 0.0f);
    pack_panel(w, task.row + i * panel_rows, rows, panel + i * panel_size);
  }
  Unsummed<Number> last;
  for (std::size_t token = 0; token < tokens; token += group_tokens) {
    const std::size_t width = std::min(group_tokens, tokens - token);
    for (std::size_t i = 0; i < panels; ++i) {
      panel_times_rest(width, w.cols, panel + i * panel_size, packed + token * w.cols, lanes, last);
      last.sum(group_tokens);
      const std::size_t row = i * panel_rows, rows = std::min(panel_rows, task.rows - row);
      last = {lanes, blocks, rows, width, w.rows, task.product->out + token * w.rows + task.row + row, width};
      std::swap(lanes, other);
    }
  }
  last.sum(group_tokens);
}

template <class Number>
void prefill(std::span<const Product<Number>> products, const float* x, std::size_t tokens) {
  const std::size_t cols = products[0].weights.cols;
  const std::size_t groups = (tokens + group_tokens - 1) / group_tokens;
  float* packed = thread_scratch<struct PackedTokens, float>(tokens * cols);
  parallel(groups, [&](std::size_t g) {
    const std::size_t token = g * group_tokens;
    pack_rest(std::min(group_tokens, tokens - token), x + token * cols, cols, packed + token * cols);
  });
  const Tasks<Number> tasks(products);
  parallel(tasks.list.size(), [&](std::size_t i) { run_packed<Number>(tasks.list[i], packed, tokens); });
}

template <class Number>
void matmul_on(std::span<const Product<Number>> products, const float* x, std::size_t tokens) {
  bool direct = tokens == 1;
  for (const auto& p : products) direct = direct && has_direct_form(p.weights.storage);
  if (direct) return decode(products, x);
  prefill(products, x, tokens);
}

void matmul_float(std::span<const Product<float>> products, const float* x, std::size_t tokens) {
  matmul_on(products, x, tokens);
}
void matmul_double(std::span<const Product<double>> products, const float* x, std::size_t tokens) {
  matmul_on(products, x, tokens);
}

}  // namespace lawful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lawful::kernels {

HWY_EXPORT(matmul_float);
HWY_EXPORT(matmul_double);

void matmul(std::span<const Product<float>> products, const float* x, std::size_t tokens) {
  if (tokens != 0 && !products.empty()) HWY_DYNAMIC_DISPATCH(matmul_float)(products, x, tokens);
}
void matmul(std::span<const Product<double>> products, const float* x, std::size_t tokens) {
  if (tokens != 0 && !products.empty()) HWY_DYNAMIC_DISPATCH(matmul_double)(products, x, tokens);
}

}  // namespace lawful::kernels
#endif
