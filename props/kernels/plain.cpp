#include "props/kernels/plain.hpp"

#include "kernels/order.hpp"
#include "kernels/rope.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace lawful::props {

using kernels::lane_tree;
using kernels::Order;

double plain_exp(double x) {
  if (std::isnan(x)) return x;
  const double clamped = std::min(std::max(x, -700.0), 700.0);
  const double n = std::nearbyint(clamped * 0x1.71547652b82fep0);  // to even, as adding 1.5·2⁵² rounds
  double r = std::fma(n, -0x1.62e42fefa38p-1, clamped);
  r = std::fma(n, -0x1.ef35793c7673p-45, r);
  double sum = 1.0 / 362880;
  for (const double c : {1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0, 1.0})
    sum = std::fma(sum, r, c);
  return std::ldexp(sum, static_cast<int>(n));  // exact: no result is subnormal
}

double plain_lane_sum(const std::vector<double>& values) {
  std::array<double, 16> lane{};
  for (std::size_t k = 0; k < values.size(); ++k) lane[k % 16] += values[k];
  return lane_tree(lane);
}

std::vector<float> plain_rms_norm(const std::vector<double>& x, const std::vector<float>& gain, double eps,
                                  std::size_t rows) {
  const std::size_t width = gain.size();
  std::vector<float> out(rows * width);
  for (std::size_t row = 0; row < rows; ++row) {
    const double* from = &x[row * width];
    std::array<double, 16> lane{};
    for (std::size_t k = 0; k < width; ++k) lane[k % 16] = std::fma(from[k], from[k], lane[k % 16]);
    const double scale = 1.0 / std::sqrt(lane_tree(lane) / static_cast<double>(width) + eps);
    for (std::size_t k = 0; k < width; ++k)
      out[row * width + k] = static_cast<float>(static_cast<double>(gain[k]) * (from[k] * scale));
  }
  return out;
}

std::vector<float> plain_swiglu(const std::vector<float>& gate, const std::vector<float>& up) {
  std::vector<float> out(gate.size());
  for (std::size_t i = 0; i < gate.size(); ++i) {
    const double g = static_cast<double>(gate[i]), u = static_cast<double>(up[i]);
    out[i] = static_cast<float>(g * u / (1.0 + plain_exp(-g)));
  }
  return out;
}

std::vector<float> plain_rope(const std::vector<float>& x, std::size_t heads, const std::vector<float>& frequency,
                              std::size_t first) {
  const std::size_t half = frequency.size();
  std::vector<float> out(x.size());
  for (std::size_t at = 0; at < x.size(); at += 2 * half)
    for (std::size_t i = 0; i < half; ++i) {
      const float position = static_cast<float>(first + at / (heads * 2 * half));
      const auto [sin, cos] = kernels::sincos(static_cast<double>(position * frequency[i]));
      const double a = static_cast<double>(x[at + i]), b = static_cast<double>(x[at + half + i]);
      out[at + i] = static_cast<float>(a * cos - b * sin);
      out[at + half + i] = static_cast<float>(b * cos + a * sin);
    }
  return out;
}

namespace {

/// One head of one row over the first `count` rows of its plane.
void plain_head(const float* q, const float* keys, const float* values, std::size_t head, std::size_t count,
                float* out) {
  std::vector<double> weights(count);
  for (std::size_t j = 0; j < count; ++j)
    weights[j] = kernels::dot(q, keys + j * head, head) * (1.0 / std::sqrt(static_cast<double>(head)));
  const double most = *std::max_element(weights.begin(), weights.end());
  for (double& w : weights) w = plain_exp(w - most);
  const double below = plain_lane_sum(weights);
  for (std::size_t d = 0; d < head; ++d) {
    double sum = 0.0;
    for (std::size_t begin = 0; begin < count; begin += 32) {
      float block = 0.0F;
      for (std::size_t j = begin; j < std::min(begin + 32, count); ++j)
        block = std::fma(static_cast<float>(weights[j]), values[j * head + d], block);
      sum += static_cast<double>(block);
    }
    out[d] = static_cast<float>(sum / below);
  }
}

}  // namespace

std::vector<float> plain_attention(const kernels::AttentionShape& shape, const std::vector<float>& q, std::size_t rows,
                                   const std::vector<float>& keys, const std::vector<float>& values,
                                   std::size_t first) {
  const std::size_t heads = shape.kv_heads * shape.group, plane = shape.capacity * shape.head;
  std::vector<float> out(q.size());
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t kv = 0, h = 0; kv < shape.kv_heads; ++kv)
      for (std::size_t i = 0; i < shape.group; ++i, ++h) {
        const std::size_t at = (row * heads + h) * shape.head;
        plain_head(&q[at], &keys[kv * plane], &values[kv * plane], shape.head, first + row + 1, &out[at]);
      }
  return out;
}

}  // namespace lawful::props
