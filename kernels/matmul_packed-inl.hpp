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
  parallel(tasks.list.size(), [&](std::size_t i) { run_packed<Number>(tasks.list[i], packed, tokens); });
}


}  // namespace lawful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
