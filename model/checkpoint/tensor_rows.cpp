#include "model/checkpoint/tensor_rows.hpp"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "io/bad_input.hpp"
#include "io/printable.hpp"
#include "kernels/index.hpp"

namespace lawful::model {
namespace {

using kernels::Index;
using kernels::RowOrder;

/// For each row to be written, the row of the file that holds it.
std::vector<std::size_t> source_rows(const StoredTensor& tensor, std::size_t rows, RowOrder order, std::size_t half) {
  std::vector<std::size_t> source(rows);
  for (std::size_t row = 0; row < rows; ++row) source[row] = row;
  if (order == tensor.row_order) return source;
  if (half == 0 || rows % (2 * half) != 0) {
    io::reject("tensor " + io::quoted(tensor.name), fmt::format("rows of whole heads of {}", 2 * half),
               fmt::format("{} rows", rows));
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t interleaved = Index::interleaved_row(row, half);
    if (order == RowOrder::straight) source[row] = interleaved;
    else source[interleaved] = row;
  }
  return source;
}

}  // namespace

void each_piece(const StoredTensor& tensor, kernels::Storage storage, RowOrder order, std::size_t half,
                const std::function<void(std::span<const std::byte>)>& each) {
  const std::size_t cols = tensor.shape.back(), rows = tensor.value_count() / cols;
  const auto& block = kernels::block_shape(storage);
  const std::string what = "tensor " + io::quoted(tensor.name);
  if (cols % block.values != 0) {
    io::reject(what, fmt::format("rows of whole {} blocks of {}", block.name, block.values),
               fmt::format("rows of {}", cols));
  }
  const std::size_t row_bytes = cols / block.values * block.bytes, stored_row_bytes = tensor.byte_count / rows;
  const auto source = source_rows(tensor, rows, order, half);
  constexpr std::size_t piece_bytes = 1U << 20U;
  std::vector<std::byte> piece;
  std::vector<float> values(cols);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::byte* stored = tensor.bytes + source[row] * stored_row_bytes;
    const std::size_t at = piece.size();
    piece.resize(at + row_bytes);
    if (storage == tensor.storage) {
      std::memcpy(piece.data() + at, stored, row_bytes);
    } else {
      kernels::widen(tensor.storage, stored, cols, values.data());
      narrow(storage, values, piece.data() + at, what);
    }
    if (piece.size() < piece_bytes && row + 1 < rows) continue;
    each(piece);
    piece.clear();
  }
}

}  // namespace lawful::model
