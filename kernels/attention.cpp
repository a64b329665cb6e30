#include "kernels/attention.hpp"

#include "kernels/index.hpp"
#include "kernels/scratch.hpp"
#include "kernels/targets.hpp"
#include "kernels/team.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cpp"
#include <hwy/foreach_target.h>

#include "kernels/exp-inl.hpp"
#include "kernels/lanes-inl.hpp"

#ifndef LAWFUL_KERNELS_ATTENTION_ONCE
#define LAWFUL_KERNELS_ATTENTION_ONCE
namespace lawful::kernels {

inline constexpr std::size_t most_together = 3;  // query heads that go over a KV head's rows together
inline constexpr std::size_t key_piece = 128;    // keys of one task, where a single token's work is shared out

/// Where a task works: some query heads of one token and the KV head that they read.
struct HeadTask {
  const float* q;       // first of the heads, `head` values each
  const float* keys;    // the KV head's plane
  const float* values;
  std::size_t heads;    // at most most_together
  std::size_t head;     // values of a head
  std::size_t count;    // keys that are read
  double* scores;       // [heads][stride]; after the softmax the weights stand in `weights`
  float* weights;       // [heads][stride]
  std::size_t stride;
  float* out;           // like q
};

/// Values from head to head of scores and weights: the softmax fills up whole steps of lanes.
constexpr std::size_t score_stride(std::size_t count) { return (count / Order::lanes + 1) * Order::lanes + 4; }

}  // namespace lawful::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace lawful::kernels::HWY_NAMESPACE {

// Kernels know the width of a head as a constant, in steps of 16 values, where it is one of the usual; 0 is any other.
template <std::size_t known>
constexpr std::size_t steps_of(const HeadTask& task) {
  return known != 0 ? known : task.head / Order::lanes;
}

/// Scores, not yet scaled, of keys begin … end − 1: canonical dot products of one block at most.
template <std::size_t known>
HWY_INLINE void score_few(const HeadTask& task, std::size_t begin, std::size_t end) {
  const std::size_t parts = steps_of<known>(task), head = parts * Order::lanes;
  for (std::size_t h = 0; h < task.heads; ++h) {
    Lanes q[known != 0 ? known : Order::steps];
    for (std::size_t i = 0; i < parts; ++i) q[i] = load_lanes(task.q + h * head + i * Order::lanes);
    for (std::size_t j = begin; j < end; j += 4) {
      Lanes four[4];
      for (std::size_t r = 0; r < 4; ++r) {
        const float* key = task.keys + Index::row_begin(std::min(j + r, end - 1), head);
        four[r] = zero_lanes();
        for (std::size_t i = 0; i < parts; ++i) four[r] = fused_lanes(q[i], load_lanes(key + i * Order::lanes), four[r]);
      }
      store_sums(four, task.scores + h * task.stride + j);  // past `end` the last key's again, which nothing reads
    }
  }
}

/// The same, few at a time: all heads read the keys from the first-level cache.
template <std::size_t known>
HWY_INLINE void score_keys(const HeadTask& task, std::size_t begin, std::size_t end) {
  constexpr std::size_t few = 64;
  for (; begin < end; begin += few) score_few<known>(task, begin, std::min(begin + few, end));
}

/// Scales the scores by 1/√head and turns them into weights e^(score − max), rounded to F32; returns the canonical sum
/// of the unrounded ones.
HWY_INLINE double softmax(double* scores, std::size_t keys, double scale, float* weights) {
  const F64 d;
  const std::size_t padded = (keys + Order::lanes - 1) / Order::lanes * Order::lanes;
  std::fill(scores + keys, scores + padded, scores[0]);
  VD most = hn::Set(d, scores[0] * scale);
  for (std::size_t j = 0; j < padded; j += vd_lanes) {
    const VD s = hn::Mul(hn::LoadU(d, scores + j), hn::Set(d, scale));
    most = hn::Max(most, s);
    hn::StoreU(s, d, scores + j);
  }
  most = hn::MaxOfLanes(d, most);
  Sums sums;
  for (auto& part : sums.part) part = hn::Zero(d);
  for (std::size_t j = 0; j < padded; j += Order::lanes)
    for (std::size_t i = 0; i < vd_parts; ++i) {
      const std::size_t at = j + i * vd_lanes;
      VD e = exp_lanes(hn::Sub(hn::LoadU(d, scores + at), most));
      if (at + vd_lanes > keys)  // lanes past the last key add nothing
        e = hn::IfThenElseZero(hn::FirstN(d, keys > at ? keys - at : 0), e);
      hn::StoreU(narrow(e), F32Half(), weights + at);
      sums.part[i] = hn::Add(sums.part[i], e);
    }
  return sum_lanes(sums);
}

/// Columns column … column + columns·16 − 1 of the weighted sums of values of `heads` heads, each divided by its sum
/// of weights and rounded.
template <std::size_t heads, std::size_t columns>
HWY_INLINE void weigh_values(const HeadTask& task, std::size_t head, std::size_t column, const double* weight_sums) {
  Sums total[heads][columns];
  for (auto& row : total)
    for (auto& sum : row)
      for (auto& part : sum.part) part = hn::Zero(F64());
  for (std::size_t begin = 0; begin < task.count; begin += value_block) {
    const std::size_t end = std::min(begin + value_block, task.count);
    Lanes acc[heads][columns];
    for (auto& row : acc)
      for (auto& a : row) a = zero_lanes();
    for (std::size_t j = begin; j < end; ++j) {
      const float* value = task.values + Index::row_begin(j, head) + column;
      Lanes weight[heads];
      for (std::size_t h = 0; h < heads; ++h) weight[h] = broadcast_lanes(task.weights[h * task.stride + j]);
      for (std::size_t c = 0; c < columns; ++c) {
        const Lanes v = load_lanes(value + c * Order::lanes);
        for (std::size_t h = 0; h < heads; ++h) acc[h][c] = fused_lanes(weight[h], v, acc[h][c]);
      }
    }
    for (std::size_t h = 0; h < heads; ++h)
      for (std::size_t c = 0; c < columns; ++c) total[h][c] = add_sums(total[h][c], widen_lanes(acc[h][c]));
  }
  for (std::size_t h = 0; h < heads; ++h)
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t i = 0; i < vd_parts; ++i) {
        const VD quotient = hn::Div(total[h][c].part[i], hn::Set(F64(), weight_sums[h]));
        hn::StoreU(narrow(quotient), F32Half(),
                   task.out + h * head + column + c * Order::lanes + i * vd_lanes);
      }
}

template <std::size_t columns>
HWY_INLINE void weigh_values_of(const HeadTask& task, std::size_t head, std::size_t column, const double* sums) {
  switch (task.heads) {
    case 1: return weigh_values<1, columns>(task, head, column, sums);
    case 2: return weigh_values<2, columns>(task, head, column, sums);
    default: return weigh_values<3, columns>(task, head, column, sums);
  }
}

/// One of the task's shares of columns: two steps of them, whose accumulators for three heads stay in registers; the
/// last share of an odd number of steps is one.
inline constexpr std::size_t share_steps = 2;
HWY_INLINE void weigh_share(const HeadTask& task, std::size_t share, const double* sums) {
  const std::size_t column = share * share_steps * Order::lanes;
  if (column + share_steps * Order::lanes <= task.head) return weigh_values_of<share_steps>(task, task.head, column, sums);
  weigh_values_of<1>(task, task.head, column, sums);
}
constexpr std::size_t shares_of(std::size_t head) { return (head / Order::lanes + share_steps - 1) / share_steps; }

template <std::size_t known>
void attend(const HeadTask& task, double scale) {
  score_keys<known>(task, 0, task.count);
  double sums[most_together];
  for (std::size_t h = 0; h < task.heads; ++h)
    sums[h] = softmax(task.scores + h * task.stride, task.count, scale, task.weights + h * task.stride);
  for (std::size_t share = 0; share < shares_of(task.head); ++share) weigh_share(task, share, sums);
}

/// One token's heads, each stage shared out among the threads: for long contexts, where a head is too much for one.
template <std::size_t known>
void attend_together(std::span<const HeadTask> tasks, double scale) {
  const std::size_t count = tasks[0].count, pieces = (count + key_piece - 1) / key_piece;
  parallel(tasks.size() * pieces, [=](std::size_t i) {
    const std::size_t begin = i % pieces * key_piece;
    score_keys<known>(tasks[i / pieces], begin, std::min(begin + key_piece, count));
  });
  double* sums = thread_scratch<struct WeightSums, double>(tasks.size() * most_together);
  parallel(tasks.size() * most_together, [=](std::size_t i) {
    const HeadTask& task = tasks[i / most_together];
    const std::size_t h = i % most_together;
    if (h < task.heads) sums[i] = softmax(task.scores + h * task.stride, count, scale, task.weights + h * task.stride);
  });
  const std::size_t shares = shares_of(tasks[0].head);
  parallel(tasks.size() * shares,
           [=](std::size_t i) { weigh_share(tasks[i / shares], i % shares, sums + i / shares * most_together); });
}

/// Task `i` of one row of a text: up to most_together query heads of one KV head.
HWY_INLINE HeadTask head_task(const AttentionRows& text, std::size_t row, std::size_t i) {
  const AttentionShape& s = text.shape;
  const std::size_t first = text.first;
  const std::size_t per_kv = (s.group + most_together - 1) / most_together;
  const std::size_t kv = i / per_kv, in_group = i % per_kv * most_together;
  const std::size_t h = kv * s.group + in_group, plane = Index::extent(s.capacity, s.head);
  const std::size_t at = Index::row_begin(Index::row_begin(row, s.kv_heads * s.group) + h, s.head);
  const std::size_t read = Index::row_begin(Index::kv_head(h, s.group), plane);
  const std::size_t count = Index::keys_read(Index::advance(first, row));
  return {text.q + at, text.keys + read, text.values + read, std::min(most_together, s.group - in_group), s.head, count,
          nullptr, nullptr, score_stride(count), text.out + at};
}

/// One row that is alone, over many keys.
template <std::size_t known>
void attention_of_one(const AttentionRows& text, std::size_t per_row, double scale) {
  std::vector<HeadTask> tasks;
  const std::size_t each = most_together * score_stride(Index::keys_read(text.first));
  double* scores = thread_scratch<struct AllScores, double>(per_row * each);
  float* weights = thread_scratch<struct AllWeights, float>(per_row * each);
  for (std::size_t i = 0; i < per_row; ++i) {
    tasks.push_back(head_task(text, 0, i));
    tasks.back().scores = scores + i * each;
    tasks.back().weights = weights + i * each;
  }
  attend_together<known>(tasks, scale);
}

template <std::size_t known>
void attention_of(std::span<const AttentionRows> texts) {
  const AttentionShape& s = texts[0].shape;
  const double scale = 1.0 / std::sqrt(static_cast<double>(s.head));
  const std::size_t per_row = s.kv_heads * ((s.group + most_together - 1) / most_together);
  std::vector<std::pair<const AttentionRows*, std::size_t>> rows;
  for (const AttentionRows& text : texts)
    for (std::size_t row = 0; row < text.rows; ++row) rows.emplace_back(&text, row);
  if (rows.size() == 1 && Index::keys_read(rows[0].first->first) > key_piece)
    return attention_of_one<known>(*rows[0].first, per_row, scale);
  parallel(rows.size() * per_row, [per_row, scale, &rows](std::size_t i) {
    const auto& [text, row] = rows[i / per_row];
    HeadTask task = head_task(*text, row, i % per_row);
    task.scores = thread_scratch<struct Scores, double>(most_together * task.stride);
    task.weights = thread_scratch<struct Weights, float>(most_together * task.stride);
    attend<known>(task, scale);
  });
}

void attention_rows(std::span<const AttentionRows> texts) {
  if (texts[0].shape.head == 4 * Order::lanes) return attention_of<4>(texts);
  attention_of<0>(texts);
}

}  // namespace lawful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lawful::kernels {
HWY_EXPORT(attention_rows);
void attention(std::span<const AttentionRows> texts) {
  if (texts.empty()) return;
  const AttentionShape& s = texts[0].shape;
  if (s.head == 0 || s.head % Order::lanes != 0 || s.head > Order::block)
    throw std::invalid_argument("attention: a head is a multiple of 16 values, and at most a block of the order");
  for (const AttentionRows& text : texts)
    if (text.shape.head != s.head || text.shape.kv_heads != s.kv_heads || text.shape.group != s.group)
      throw std::invalid_argument("attention: texts of different shapes");
  HWY_DYNAMIC_DISPATCH(attention_rows)(texts);
}
void attention(const AttentionShape& shape, const float* q, std::size_t rows, const float* keys, const float* values,
               std::size_t first, float* out) {
  const AttentionRows text{shape, q, rows, keys, values, first, out};
  attention(std::span(&text, 1));
}
}  // namespace lawful::kernels
#endif
