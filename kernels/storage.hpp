// How weights lie in memory. Storage is not arithmetic: each kind widens exactly to F32.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace lawful::kernels {

enum class Storage : std::uint8_t { f32, f16, bf16, q8_0, q4_0, q4_1, q5_0, q5_1, q4_k, q6_k };

/// A block of `values` consecutive values of a row takes `bytes` bytes.
struct BlockShape {
  std::string_view name;
  std::size_t values;
  std::size_t bytes;
};

/// Block shapes by Storage, as the GGUF specification gives them.
inline constexpr std::array<BlockShape, 10> block_shapes{{
    {"F32", 1, 4},
    {"F16", 1, 2},
    {"BF16", 1, 2},
    {"Q8_0", 32, 34},   // f16 d, 32 int8: q·d
    {"Q4_0", 32, 18},   // f16 d, 16 bytes: (q−8)·d
    {"Q4_1", 32, 20},   // f16 d, f16 m, 16 bytes: q·d+m
    {"Q5_0", 32, 22},   // f16 d, 4 bytes of fifth bits, 16 bytes: (q−16)·d
    {"Q5_1", 32, 24},   // f16 d, f16 m, 4 bytes of fifth bits, 16 bytes: q·d+m
    {"Q4_K", 256, 144},
    {"Q6_K", 256, 210},
}};

constexpr const BlockShape& block_shape(Storage s) { return block_shapes[static_cast<std::size_t>(s)]; }

/// How the rows of a Q or K projection lie in the file; every other matrix is `straight`.
enum class RowOrder : std::uint8_t { straight, interleaved_pairs };

/// A matrix as stored: `rows` × `cols`, row by row, each row cols/values blocks. The bytes may be unaligned.
struct StoredMatrix {
  const std::byte* bytes = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  Storage storage = Storage::f32;
  RowOrder row_order = RowOrder::straight;
  std::size_t half_head = 0;  ///< half the width of a head, where row_order is interleaved_pairs

  constexpr std::size_t row_bytes() const {
    return cols / block_shape(storage).values * block_shape(storage).bytes;
  }
};

/// Widens `count` values (whole blocks) at `block` to F32, exactly as the `gguf` package dequantizes them.
/// The plain reference for the vector kernels, and the widening for storages that have no vector kernel.
void widen(Storage storage, const std::byte* block, std::size_t count, float* out);

}  // namespace lawful::kernels
