// Random matrices as they lie in files, in every storage.
#pragma once
#include "kernels/storage.hpp"
#include "props/kernels/numbers.hpp"

#include <vector>

namespace lawful::props {

/// A matrix and the memory that it lies in.
struct Stored {
  std::vector<std::byte> memory;
  kernels::StoredMatrix matrix;
};

/// Random blocks with finite scales (subnormal ones among them), at an address that no vector is aligned to.
Stored random_stored(kernels::Storage storage, std::size_t rows, std::size_t cols, Numbers& numbers);

/// The same rows in the order of a GGUF file's Q and K: of each head the two halves, pair by pair.
Stored in_interleaved_pairs(const Stored& straight, std::size_t half_head);

/// The F32 values, row by row as stored, by the plain widening.
std::vector<float> widened(const kernels::StoredMatrix& matrix);

/// F32 values as a matrix in memory.
Stored stored_f32(const std::vector<float>& values, std::size_t rows, std::size_t cols);

}  // namespace lawful::props
