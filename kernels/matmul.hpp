// Matrix products y = W·x, one row of y for each token, every dot product in the canonical order of order.hpp.
#pragma once
#include "kernels/storage.hpp"

#include <cstddef>
#include <span>

namespace lawful::kernels {

/// One weight matrix and where its products go: out[token · rows + row], Number float (rounded once) or double.
template <class Number>
struct Product {
  StoredMatrix weights;
  Number* out;
};

/// All `products` of the same `tokens` rows of x (row-major, weights.cols values each), on the threads of
/// team.hpp. weights.cols is a multiple of 32. Bits depend on the row of weights and of x alone.
void matmul(std::span<const Product<float>> products, const float* x, std::size_t tokens);
void matmul(std::span<const Product<double>> products, const float* x, std::size_t tokens);

}  // namespace lawful::kernels
