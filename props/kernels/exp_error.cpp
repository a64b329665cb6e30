#include "props/kernels/exp_error.hpp"

#include "kernels/isa.hpp"
#include "kernels/swiglu.hpp"
#include "kernels/team.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace lawful::props {
namespace {

constexpr std::size_t piece = 1 << 16;  // patterns that a task takes

/// The distance of y from the true value, in units of the last place of an F32 of that magnitude.
double ulps(float y, long double truth) {
  const int exponent = std::max(std::ilogb(truth), -126);
  return static_cast<double>(std::fabs(static_cast<long double>(y) - truth) / std::ldexp(1.0L, exponent - 23));
}

/// e^x where it is NaN, infinite, 0 or 1; `inside` there is something to measure.
bool inside_exp(float x) { return x >= -104.0F && x <= 88.73F && std::fabs(x) >= 0x1p-26F; }
bool is_right_outside_exp(float x, float y) {
  if (std::isnan(x)) return std::isnan(y);
  if (x > 88.73F) return y == std::numeric_limits<float>::infinity();
  if (x < -104.0F) return y == 0.0F;
  return y == 1.0F;  // e^x − 1 is less than half a unit of the last place below 1
}

/// silu(x) where it is x, 0 or half of x.
bool inside_silu(float x) { return std::fabs(x) <= 120.0F && std::fabs(x) >= 0x1p-26F; }
bool is_right_outside_silu(float x, float y) {
  if (x > 120.0F) return y == x;
  if (x == -std::numeric_limits<float>::infinity()) return y == x;  // not −0: what is not finite stays so
  if (x < -120.0F) return std::fabs(static_cast<double>(y)) <= 0x1p-149;
  if (std::isnan(x)) return std::isnan(y);
  return std::fabs(static_cast<double>(y) - 0.5 * static_cast<double>(x)) <= 0x1p-150;
}

void check_exp(float y, long double e, ExpErrors& found) {
  if (std::isinf(y)) {  // rounds to infinity from the middle between F32's largest and 2^128
    found.wrong += e >= 0x1.ffffffp127L ? 0 : 1;
    return;
  }
  found.exp_ulp = std::max(found.exp_ulp, ulps(y, e));
  found.not_nearest += y == static_cast<float>(e) ? 0 : 1;
}

void check_value(float x, float y, float silu, ExpErrors& found) {
  const bool measured = inside_exp(x) || inside_silu(x);
  const long double e = measured ? std::exp(static_cast<long double>(x)) : 0.0L;
  if (inside_exp(x))
    check_exp(y, e, found);
  else
    found.wrong += is_right_outside_exp(x, y) ? 0 : 1;
  if (inside_silu(x))
    found.silu_ulp = std::max(found.silu_ulp, ulps(silu, static_cast<long double>(x) / (1.0L + 1.0L / e)));
  else
    found.wrong += is_right_outside_silu(x, silu) ? 0 : 1;
}

ExpErrors errors_of_piece(const std::vector<float>& x, const std::vector<float>& y, const std::vector<float>& silu) {
  ExpErrors found;
  for (std::size_t i = 0; i < x.size(); ++i) {
    check_value(x[i], y[i], silu[i], found);
    if (i > 0 && !std::isnan(x[i]) && std::signbit(x[i]) == std::signbit(x[i - 1]))
      found.falling += (x[i] > x[i - 1]) == (y[i] >= y[i - 1]) || y[i] == y[i - 1] ? 0 : 1;
  }
  return found;
}

/// e^x and silu(x) of a piece's patterns, on the instruction set in use. Also run on threads that parallel() has taken.
struct Piece {
  std::vector<float> x, exp, silu;
  Piece(std::uint32_t first, std::uint64_t count, std::uint32_t stride)
      : x((count + 15) / 16 * 16), exp(x.size()), silu(x.size()) {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = std::bit_cast<float>(first + static_cast<std::uint32_t>(std::min<std::uint64_t>(i, count - 1)) * stride);
    const std::vector<float> ones(x.size(), 1.0F);
    kernels::exp_f32(x.data(), x.size(), exp.data());
    kernels::swiglu(x.data(), ones.data(), x.size(), silu.data());
  }
};

/// FNV-1a over the bits, NaN being one value: of every eighth value, and then of those eight sums, which a processor
/// makes side by side.
std::uint64_t sum_of_bits(const std::vector<float>& values) {
  constexpr std::uint64_t basis = 0xcbf29ce484222325U, prime = 0x100000001b3U;
  std::array<std::uint64_t, 8> sums;
  sums.fill(basis);
  for (std::size_t i = 0; i < values.size(); i += sums.size())  // a Piece is whole steps of 16
    for (std::size_t j = 0; j < sums.size(); ++j) {
      const float v = values[i + j];
      sums[j] = (sums[j] ^ (std::isnan(v) ? 0x7fc00000U : std::bit_cast<std::uint32_t>(v))) * prime;
    }
  return std::accumulate(sums.begin(), sums.end(), basis, [](auto sum, auto next) { return (sum ^ next) * prime; });
}

}  // namespace

void ExpErrors::add(const ExpErrors& other) {
  exp_ulp = std::max(exp_ulp, other.exp_ulp);
  silu_ulp = std::max(silu_ulp, other.silu_ulp);
  not_nearest += other.not_nearest;
  wrong += other.wrong;
  falling += other.falling;
  differing += other.differing;
}

ExpErrors exp_errors(std::uint32_t first, std::uint64_t count, std::uint32_t stride) {
  const std::size_t pieces = (count + piece - 1) / piece;
  const auto piece_at = [&](std::size_t p) {
    const std::uint64_t begin = p * piece;
    const std::uint64_t size = std::min<std::uint64_t>(piece, count - begin);
    return Piece(first + static_cast<std::uint32_t>(begin) * stride, size, stride);
  };
  std::vector<ExpErrors> found(pieces);
  std::vector<std::uint64_t> sums(pieces);
  kernels::parallel(pieces, [&](std::size_t p) {
    const Piece values = piece_at(p);
    found[p] = errors_of_piece(values.x, values.exp, values.silu);
    sums[p] = sum_of_bits(values.exp) ^ sum_of_bits(values.silu);
  });
  const std::string best(kernels::instruction_set());
  for (const auto isa : kernels::instruction_sets()) {
    kernels::use_instruction_set(isa);
    kernels::parallel(pieces, [&](std::size_t p) {
      const Piece values = piece_at(p);
      found[p].differing += (sum_of_bits(values.exp) ^ sum_of_bits(values.silu)) == sums[p] ? 0 : 1;
    });
  }
  kernels::use_instruction_set(best);
  ExpErrors all;
  for (const auto& f : found) all.add(f);
  return all;
}

}  // namespace lawful::props
