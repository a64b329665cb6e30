#include "kernels/attention.hpp"

#include "kernels/index.hpp"
#include "kernels/scratch.hpp"
#include "kernels/targets.hpp"
#include "kernels/team.hpp"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention.cpp"
#include <hwy/foreach_target.h>

#include "kernels/exp-inl.hpp"
#include "kernels/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lawful::kernels::HWY_NAMESPACE {

/// q·k of one head, a multiple of 16 values and at most one block, lanes in the canonical order.
HWY_INLINE Sums score_lanes(const float* q, const float* k, std::size_t head) {
  Lanes acc = zero_lanes();
  for (std::size_t i = 0; i < head; i += Order::lanes) acc = fused_lanes(load_lanes(q + i), load_lanes(k + i), acc);
  return widen_lanes(acc);
}

/// Scores of one query head against `count` keys: canonical dot products times `scale`.
HWY_INLINE void score_keys(const float* q, const float* keys, std::size_t head, std::size_t count, double scale,
                           double* scores) {
  for (std::size_t j = 0; j < count; j += 4) {
    Sums four[4];
    for (std::size_t i = 0; i < 4; ++i)
      four[i] = score_lanes(q, keys + Index::row_begin(std::min(j + i, count - 1), head), head);
    store_sums(four, scores + j);  // past the last key its score again, which nothing reads
  }
  for (std::size_t j = 0; j < count; ++j) scores[j] *= scale;
}

/// Turns `keys` scores into weights e^(score − max) in place and returns their canonical sum.
HWY_INLINE double softmax_weights(double* scores, std::size_t keys) {
  double most = scores[0];
  for (std::size_t j = 1; j < keys; ++j) most = scores[j] > most ? scores[j] : most;
  const VD top = hn::Set(F64(), most);
  const std::size_t padded = (keys + Order::lanes - 1) / Order::lanes * Order::lanes;
  std::fill(scores + keys, scores + padded, most);
  Sums sums;
  for (auto& part : sums.part) part = hn::Zero(F64());
  for (std::size_t j = 0; j < padded; j += Order::lanes)
    for (std::size_t i = 0; i < vd_parts; ++i) {
      double* at = scores + j + i * vd_lanes;
      VD e = exp_lanes(hn::Sub(hn::LoadU(F64(), at), top));
      if (j + Order::lanes > keys) {  // lanes past the last key add nothing
        alignas(64) double lane[vd_lanes];
        hn::Store(e, F64(), lane);
        for (std::size_t l = 0; l < vd_lanes; ++l)
          if (j + i * vd_lanes + l >= keys) lane[l] = 0.0;
        e = hn::Load(F64(), lane);
      }
      hn::StoreU(e, F64(), at);
      sums.part[i] = hn::Add(sums.part[i], e);
    }
  return sum_lanes(sums);
}

/// Sixteen columns of the weighted sum of `keys` rows of values.
HWY_INLINE Sums weighted_values(const double* weights, const float* values, std::size_t head, std::size_t keys) {
  Sums total;
  for (auto& part : total.part) part = hn::Zero(F64());
  for (std::size_t begin = 0; begin < keys; begin += value_block) {
    const std::size_t end = std::min(begin + value_block, keys);
    Lanes acc = zero_lanes();
    for (std::size_t j = begin; j < end; ++j)
      acc = fused_lanes(broadcast_lanes(static_cast<float>(weights[j])), load_lanes(values + j * head), acc);
    total = add_sums(total, widen_lanes(acc));
  }
  return total;
}

HWY_INLINE void attend(const AttentionShape& s, const float* q, const float* keys, const float* values, std::size_t t,
                       double* scores, float* out) {
  const std::size_t count = Index::keys_read(t);
  const double scale = 1.0 / std::sqrt(static_cast<double>(s.head));
  score_keys(q, keys, s.head, count, scale, scores);
  const VD below = hn::Set(F64(), softmax_weights(scores, count));
  for (std::size_t d = 0; d < s.head; d += Order::lanes) {
    const Sums sum = weighted_values(scores, values + d, s.head, count);
    for (std::size_t i = 0; i < vd_parts; ++i)
      hn::StoreU(narrow(hn::Div(sum.part[i], below)), F32Half(), out + d + i * vd_lanes);
  }
}

void attention_rows(const AttentionShape& s, const float* q, std::size_t rows, const float* keys, const float* values,
                    std::size_t first, float* out) {
  const std::size_t heads = s.kv_heads * s.group, plane = Index::extent(s.capacity, s.head);
  parallel(rows * heads, [=](std::size_t task) {
    const std::size_t row = task / heads, h = task % heads, at = Index::row_begin(task, s.head);
    const std::size_t kv = Index::kv_head(h, s.group), t = Index::advance(first, row);
    double* scores = thread_scratch<struct Scores, double>(Index::keys_read(t) + Order::lanes);
    attend(s, q + at, keys + Index::row_begin(kv, plane), values + Index::row_begin(kv, plane), t, scores, out + at);
  });
}

}  // namespace lawful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lawful::kernels {
HWY_EXPORT(attention_rows);
void attention(const AttentionShape& shape, const float* q, std::size_t rows, const float* keys, const float* values,
               std::size_t first, float* out) {
  HWY_DYNAMIC_DISPATCH(attention_rows)(shape, q, rows, keys, values, first, out);
}
}  // namespace lawful::kernels
#endif
