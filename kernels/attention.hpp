// Causal attention with grouped queries over cached keys and values (Vaswani et al. 2017; Ainslie et al. 2023).
#pragma once
#include <cstddef>
#include <span>

namespace lawful::kernels {

/// The heads of one layer and its cache: kv_heads planes of `capacity` rows of `head` values, keys and values alike.
struct AttentionShape {
  std::size_t kv_heads, group, head, capacity;  // head: a multiple of 16, at most 256
};

/// For each of `rows` rows of rotated queries, at positions first, first + 1, …: attention over the keys of positions
/// 0 … t (their own included) and no others. `q` and `out` are rows × (kv_heads·group·head).
///
/// Scores are canonical dot products times 1/√head, in double; weights e^(score − max), added in double in 16 lanes and
/// the canonical tree; rounded to F32 as weights. Values are weighted in F32 by fused multiply-add in rising position, in blocks of
/// value_block positions that are added in double; the sum is divided by that of the weights and rounded to F32 once.
void attention(const AttentionShape& shape, const float* q, std::size_t rows, const float* keys, const float* values,
               std::size_t first, float* out);

/// The same of one text among several: its rows of queries, its cache, and where its results go.
struct AttentionRows {
  AttentionShape shape;
  const float* q;
  std::size_t rows;
  const float *keys, *values;
  std::size_t first;
  float* out;
};

/// All `texts` together, whose shapes differ in nothing but the capacity. Each gets the bits of a call of its own.
void attention(std::span<const AttentionRows> texts);

/// Positions whose weighted values are added in F32 before their sum goes on in double.
inline constexpr std::size_t value_block = 32;

}  // namespace lawful::kernels
