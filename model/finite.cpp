#include "model/finite.hpp"

#include "kernels/index.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace lawful::model {
namespace {

/// Whether x is NaN or infinite, on the bits, so that a loop over it needs no branch.
bool is_bad(float x) { return (std::bit_cast<std::uint32_t>(x) & 0x7f800000U) == 0x7f800000U; }
bool is_bad(double x) { return (std::bit_cast<std::uint64_t>(x) & 0x7ff0000000000000U) == 0x7ff0000000000000U; }

template <class T>
std::size_t first(const T* values, std::size_t count) {
  constexpr std::size_t piece = 1024;
  for (std::size_t begin = 0; begin < count; begin += piece) {
    const T* end = values + std::min(begin + piece, count);
    unsigned bad = 0;
    for (const T* x = values + begin; x < end; ++x) bad |= is_bad(*x) ? 1U : 0U;
    if (bad == 0) continue;
    return static_cast<std::size_t>(std::find_if(values + begin, end, [](T x) { return is_bad(x); }) - values);
  }
  return count;
}

}  // namespace

std::size_t first_not_finite(const float* values, std::size_t count) { return first(values, count); }
std::size_t first_not_finite(const double* values, std::size_t count) { return first(values, count); }

std::optional<std::string> not_finite_weight(const std::string& name, const kernels::StoredMatrix& matrix) {
  std::vector<float> row(matrix.cols);
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    const std::size_t stored = matrix.row_order == kernels::RowOrder::straight
                                   ? r
                                   : kernels::Index::interleaved_row(r, matrix.half_head);
    kernels::widen(matrix.storage, matrix.bytes + stored * matrix.row_bytes(), matrix.cols, row.data());
    const std::size_t c = first(row.data(), row.size());
    if (c < row.size()) return fmt::format("{}[{}, {}] = {}", name, r, c, row[c]);
  }
  return std::nullopt;
}

std::optional<std::string> not_finite_weight(const std::string& name, const std::vector<float>& gain) {
  const std::size_t i = first(gain.data(), gain.size());
  if (i < gain.size()) return fmt::format("{}[{}] = {}", name, i, gain[i]);
  return std::nullopt;
}

}  // namespace lawful::model
