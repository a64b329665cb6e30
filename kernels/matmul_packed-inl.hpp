// Products of many tokens, as tiles of packed rows and packed tokens.
#if defined(LAWFUL_KERNELS_MATMUL_PACKED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef LAWFUL_KERNELS_MATMUL_PACKED_INL
#undef LAWFUL_KERNELS_MATMUL_PACKED_INL
#else
#define LAWFUL_KERNELS_MATMUL_PACKED_INL
#endif

#include "kernels/lanes-inl.hpp"
#include "kernels/matmul_plan.hpp"
#include "kernels/scratch.hpp"
#include "kernels/team.hpp"
#include "kernels/widen-inl.hpp"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace lawful::kernels::HWY_NAMESPACE {

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

/// Does nothing between the steps of a tile.
struct Nothing {
  HWY_INLINE void operator()() const {}
};

/// Lanes of rows × tokens dot products over one block of the canonical order, from zero, into `lanes`: where this is not
/// the first block, added to what is there. The panel holds panel_rows rows a step, `packed` and `lanes` hold `stride`
/// tokens. `between` is called every few steps.
template <std::size_t rows, std::size_t tokens, std::size_t stride, class Between = Nothing>
HWY_INLINE void tile(const float* panel, const float* packed, std::size_t steps, bool first, float* lanes,
                     Between between = {}) {
  constexpr std::size_t pace = 4;
  Lanes acc[rows][tokens];
  for (auto& row : acc)
    for (auto& a : row) a = zero_lanes();
  while (steps > 0) {
    const std::size_t some = std::min(steps, pace);
    for (std::size_t s = 0; s < some; ++s) {
      Lanes w[rows];
      for (std::size_t r = 0; r < rows; ++r) w[r] = load_lanes(panel + r * Order::lanes);
      for (std::size_t t = 0; t < tokens; ++t) {
        const Lanes x = load_lanes(packed + t * Order::lanes);
        for (std::size_t r = 0; r < rows; ++r) acc[r][t] = fused_lanes(w[r], x, acc[r][t]);
      }
      panel += panel_rows * Order::lanes;
      packed += stride * Order::lanes;
    }
    steps -= some;
    between();
  }
  if (!first)
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t t = 0; t < tokens; ++t)
        acc[r][t] = add_lanes(load_lanes(lanes + (r * stride + t) * Order::lanes), acc[r][t]);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t t = 0; t < tokens; ++t) store_lanes(acc[r][t], lanes + (r * stride + t) * Order::lanes);
}

/// The same for a whole panel and group, tile by tile.
template <std::size_t stride, std::size_t token = 0>
HWY_INLINE void tile_block(const float* panel, const float* packed, std::size_t steps, bool first, float* lanes) {
  if constexpr (token < stride) {
    constexpr std::size_t tokens = std::min(tile_tokens, stride - token);
    for (std::size_t row = 0; row < panel_rows; row += tile_rows)
      tile<tile_rows, tokens, stride>(panel + row * Order::lanes, packed + token * Order::lanes, steps, first,
                                      lanes + (row * stride + token) * Order::lanes);
    tile_block<stride, token + tokens>(panel, packed, steps, first, lanes);
  }
}

/// The lanes of a finished tile, still to be added up: [panel_rows][width][16], and where the sums go. They are added
/// while the next tile is being multiplied, since the two keep different units of the processor busy.
template <std::size_t width, class Number>
struct Unsummed {
  const float* lanes = nullptr;
  Number* out = nullptr;   // of the first row and token
  std::size_t stride = 0;  // values from token to token
  std::size_t tokens = 0;  // that are left

  /// Sums for the next token, if one is left.
  HWY_INLINE void sum_token() {
    if (tokens == 0) return;
    store_sums({load_sums(lanes), load_sums(lanes + width * Order::lanes), load_sums(lanes + 2 * width * Order::lanes),
                load_sums(lanes + 3 * width * Order::lanes)}, out);
    lanes += Order::lanes;
    out += stride;
    --tokens;
  }
  HWY_INLINE void sum() {
    while (tokens > 0) sum_token();
  }
};

/// Sums of a panel that lacks rows.
template <std::size_t width, class Number>
HWY_INLINE void sum_some(const float* lanes, std::size_t rows, std::size_t stride, Number* out) {
  Number all[width][panel_rows];
  Unsummed<width, Number>{lanes, all[0], panel_rows, width}.sum();
  for (std::size_t t = 0; t < width; ++t) std::copy_n(all[t], rows, out + t * stride);
}

/// Weights that the thread will probably need next, fetched into the second-level cache while it multiplies.
struct Coming {
  const std::byte* at = nullptr;
  std::size_t lines = 0;

  HWY_INLINE void fetch_line() {
    if (lines == 0) return;
    __builtin_prefetch(at, 0, 2);
    at += 64;
    --lines;
  }
};

/// One panel times one group of `tokens` packed tokens, into `lanes`; meanwhile `last` is added up.
template <std::size_t tokens, class Number>
HWY_INLINE void panel_times_group(std::size_t cols, const float* panel, const float* packed, float* lanes,
                                  Unsummed<tokens, Number>& last, Coming& coming) {
  for (std::size_t begin = 0; begin < cols; begin += Order::block) {
    const std::size_t steps = (std::min(begin + Order::block, cols) - begin) / Order::lanes;
    if constexpr (vf_parts == 1) {
      tile<panel_rows, tokens, tokens>(panel, packed, steps, begin == 0, lanes, [&]() HWY_ATTR {
        last.sum_token();
        coming.fetch_line();
      });
    } else {  // the registers are full
      tile_block<tokens>(panel, packed, steps, begin == 0, lanes);
      for (std::size_t i = 0; i < 2; ++i) last.sum_token();
      for (std::size_t i = 0; i < 4; ++i) coming.fetch_line();
    }
    panel += Order::block * panel_rows;
    packed += Order::block * tokens;
  }
  last.sum();
}

/// Panels times groups of `tokens` packed tokens each.
template <std::size_t tokens, class Number>
void panels_times_groups(const typename Tasks<Number>::Task& task, const float* panel, const float* packed,
                         std::size_t groups, Coming& coming, Number* out) {
  const std::size_t cols = task.product->weights.cols, stride = task.product->weights.rows;
  alignas(64) float space[2][panel_rows * tokens * Order::lanes];
  float *lanes = space[0], *other = space[1];
  Unsummed<tokens, Number> last;
  for (; groups > 0; --groups, packed += tokens * cols, out += tokens * stride)
    for (std::size_t row = 0; row < task.rows; row += panel_rows) {
      panel_times_group<tokens>(cols, panel + row * cols, packed, lanes, last, coming);
      if (const std::size_t rows = task.rows - row; rows < panel_rows) {
        sum_some<tokens>(lanes, rows, stride, out + row);
      } else {
        last = {lanes, out + row, stride, tokens};
        std::swap(lanes, other);
      }
    }
  last.sum();
}

template <class Number>
void panels_times_rest(const typename Tasks<Number>::Task& task, const float* panel, const float* packed,
                       std::size_t tokens, Coming& coming, Number* out) {
  switch (tokens) {
    case 0: return;
    case 1: return panels_times_groups<1>(task, panel, packed, 1, coming, out);
    case 2: return panels_times_groups<2>(task, panel, packed, 1, coming, out);
    case 3: return panels_times_groups<3>(task, panel, packed, 1, coming, out);
    case 4: return panels_times_groups<4>(task, panel, packed, 1, coming, out);
    default: return panels_times_groups<5>(task, panel, packed, 1, coming, out);
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

/// Where a task's weights lie: as many rows as it has from its first on, which are its own or, where they are interleaved,
/// half of them with half of the next one's.
template <class Number>
Coming weights_of(const typename Tasks<Number>::Task& task) {
  const auto& w = task.product->weights;
  const std::size_t row = std::min(stored_row(w, task.row), w.rows - task.rows);
  return {w.bytes + row * w.row_bytes(), task.rows * w.row_bytes() / 64};
}

/// One task's rows times all packed tokens: its panels stay in the second-level cache, a group of tokens in the first.
template <class Number>
void run_packed(const typename Tasks<Number>::Task& task, Coming coming, const float* packed, std::size_t tokens) {
  const auto& w = task.product->weights;
  const std::size_t panels = (task.rows + panel_rows - 1) / panel_rows, panel_size = panel_rows * w.cols;
  float* panel = thread_scratch<struct Panels, float>(panels * panel_size);
  for (std::size_t i = 0; i < panels; ++i) {
    const std::size_t rows = std::min(panel_rows, task.rows - i * panel_rows);
    if (rows < panel_rows) std::fill_n(panel + i * panel_size, panel_size, 0.0f);
    pack_panel(w, task.row + i * panel_rows, rows, panel + i * panel_size);
  }
  const std::size_t groups = tokens / group_tokens, whole = groups * group_tokens;
  Number* out = task.product->out + task.row;
  panels_times_groups<group_tokens>(task, panel, packed, groups, coming, out);
  panels_times_rest(task, panel, packed + whole * w.cols, tokens - whole, coming, out + whole * w.rows);
}

/// Many tokens: weights and activations are packed for the tiles.
template <class Number>
void multiply_packed(std::span<const Product<Number>> products, const float* x, std::size_t tokens) {
  const std::size_t cols = products[0].weights.cols;
  const std::size_t groups = (tokens + group_tokens - 1) / group_tokens;
  float* packed = thread_scratch<struct PackedTokens, float>(tokens * cols);
  parallel(groups, [&](std::size_t g) {
    const std::size_t token = g * group_tokens;
    pack_rest(std::min(group_tokens, tokens - token), x + token * cols, cols, packed + token * cols);
  });
  const Tasks<Number> tasks(products);
  parallel(tasks.list.size(), [&](std::size_t i) {
    const Coming coming = i + 1 < tasks.list.size() ? weights_of<Number>(tasks.list[i + 1]) : Coming();
    run_packed<Number>(tasks.list[i], coming, packed, tokens);
  });
}


}  // namespace lawful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
