// How a matrix product is cut into tasks and pieces. None of it touches a result: see order.hpp.
#pragma once
#include "kernels/index.hpp"
#include "kernels/matmul.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace lawful::kernels {

inline constexpr std::size_t panel_rows = 4;     ///< rows of weights that are used together
inline constexpr std::size_t group_tokens = 6;   ///< tokens whose activations are used together
inline constexpr std::size_t task_bytes = 1 << 18;  ///< a thread takes rows that are this much when widened,
inline constexpr std::size_t least_rows = 8;        ///< but at least, and at most:
inline constexpr std::size_t most_rows = 32;

/// Rows of all products as one range, so that threads share them evenly.
template <class Number>
struct Tasks {
  struct Task {
    const Product<Number>* product;
    std::size_t row, rows;
  };
  std::vector<Task> list;

  explicit Tasks(std::span<const Product<Number>> products) {
    const std::size_t most = std::clamp(task_bytes / (sizeof(float) * products[0].weights.cols), least_rows, most_rows);
    const std::size_t rows = most / panel_rows * panel_rows;
    for (const auto& p : products)
      for (std::size_t row = 0; row < p.weights.rows; row += rows)
        list.push_back({&p, row, std::min(rows, p.weights.rows - row)});
  }
};

/// Where the weights of output row `row` are stored: Q and K of a GGUF file lie in interleaved pairs.
constexpr std::size_t stored_row(const StoredMatrix& w, std::size_t row) {
  return w.row_order == RowOrder::straight ? row : Index::interleaved_row(row, w.half_head);
}

}  // namespace lawful::kernels
