// The operations of the forward pass in plain scalar code, as docs/arithmetic.md states them: what the vector kernels
// must equal bit for bit. Written from the page and not from the kernels.
#pragma once
#include "kernels/attention.hpp"

#include <cstddef>
#include <vector>

namespace lawful::props {

/// e^x in double: n·ln 2 + r, the series of e^r to r⁹, times 2ⁿ.
double plain_exp(double x);

/// Adds values in 16 lanes of double, lane l taking those with k ≡ l, then in the canonical tree.
double plain_lane_sum(const std::vector<double>& values);

std::vector<float> plain_rms_norm(const std::vector<double>& x, const std::vector<float>& gain, double eps,
                                  std::size_t rows);

std::vector<float> plain_swiglu(const std::vector<float>& gate, const std::vector<float>& up);

std::vector<float> plain_rope(const std::vector<float>& x, std::size_t heads, const std::vector<float>& frequency,
                              std::size_t first);

std::vector<float> plain_attention(const kernels::AttentionShape& shape, const std::vector<float>& q, std::size_t rows,
                                   const std::vector<float>& keys, const std::vector<float>& values,
                                   std::size_t first);

}  // namespace lawful::props
