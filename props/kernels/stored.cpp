#include "props/kernels/stored.hpp"

#include <cstring>

namespace lawful::props {

using kernels::Storage;
using kernels::StoredMatrix;

namespace {

constexpr std::size_t odd_address = 1;  // blocks in files are aligned to nothing

/// A finite half with an exponent in [low, high]; 0 is that of subnormals, 15 that of 1.
std::uint16_t half(Numbers& numbers, std::uint64_t low, std::uint64_t high) {
  return static_cast<std::uint16_t>((numbers.bits() & 0x83ffU) | (low + numbers.bits() % (high - low + 1)) << 10U);
}

/// The bytes of a block that hold its f16 scale and, where there is one, its minimum.
std::vector<std::size_t> places_of_scales(Storage storage) {
  switch (storage) {
    case Storage::q8_0: case Storage::q4_0: case Storage::q5_0: return {0};
    case Storage::q4_1: case Storage::q5_1: case Storage::q4_k: return {0, 2};
    case Storage::q6_k: return {208};
    default: return {};
  }
}

void fill_block(Storage storage, std::byte* block, Numbers& numbers) {
  const std::size_t bytes = kernels::block_shape(storage).bytes;
  if (storage == Storage::f32) {
    const float x = numbers.value();
    std::memcpy(block, &x, sizeof x);
  } else if (storage == Storage::bf16) {
    const auto x = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(numbers.value()) >> 16U);
    std::memcpy(block, &x, sizeof x);
  } else if (storage == Storage::f16) {
    const std::uint16_t x = half(numbers, 0, 17);
    std::memcpy(block, &x, sizeof x);
  } else {
    for (std::size_t i = 0; i < bytes; ++i) block[i] = static_cast<std::byte>(numbers.bits());
    for (const std::size_t at : places_of_scales(storage)) {
      const std::uint16_t scale = numbers.below(16) == 0 ? half(numbers, 0, 0) : half(numbers, 6, 14);
      std::memcpy(block + at, &scale, sizeof scale);
    }
  }
}

Stored room_for(StoredMatrix shape) {
  Stored out;
  out.memory.resize(odd_address + shape.rows * shape.row_bytes());
  out.matrix = shape;
  out.matrix.bytes = out.memory.data() + odd_address;
  return out;
}

}  // namespace

Stored random_stored(Storage storage, std::size_t rows, std::size_t cols, Numbers& numbers) {
  Stored out = room_for({nullptr, rows, cols, storage});
  const std::size_t bytes = kernels::block_shape(storage).bytes;
  for (std::size_t at = odd_address; at < out.memory.size(); at += bytes) fill_block(storage, &out.memory[at], numbers);
  return out;
}

Stored in_interleaved_pairs(const Stored& straight, std::size_t half_head) {
  StoredMatrix shape = straight.matrix;
  shape.row_order = kernels::RowOrder::interleaved_pairs;
  shape.half_head = half_head;
  Stored out = room_for(shape);
  const std::size_t bytes = shape.row_bytes();
  std::byte* to = out.memory.data() + odd_address;
  for (std::size_t head = 0; head < shape.rows; head += 2 * half_head)
    for (std::size_t lane = 0; lane < half_head; ++lane)
      for (const std::size_t row : {head + lane, head + half_head + lane}) {
        std::memcpy(to, straight.matrix.bytes + row * bytes, bytes);
        to += bytes;
      }
  return out;
}

std::vector<float> widened(const StoredMatrix& matrix) {
  std::vector<float> out(matrix.rows * matrix.cols);
  for (std::size_t row = 0; row < matrix.rows; ++row)
    kernels::widen(matrix.storage, matrix.bytes + row * matrix.row_bytes(), matrix.cols, &out[row * matrix.cols]);
  return out;
}

Stored stored_f32(const std::vector<float>& values, std::size_t rows, std::size_t cols) {
  Stored out = room_for({nullptr, rows, cols, Storage::f32});
  std::memcpy(out.memory.data() + odd_address, values.data(), values.size() * sizeof(float));
  return out;
}

}  // namespace lawful::props
