// GGUF's numbers for the types of tensors (ggml.h, enum ggml_type).
#pragma once
#include <array>
#include <cstdint>

#include "kernels/storage.hpp"

namespace lawful::model {

struct GgufTensorType {
  std::uint32_t number;
  kernels::Storage storage;
};

/// Those that are read; the others are refused.
inline constexpr std::array<GgufTensorType, 10> gguf_tensor_types{{
    {0, kernels::Storage::f32},
    {1, kernels::Storage::f16},
    {2, kernels::Storage::q4_0},
    {3, kernels::Storage::q4_1},
    {6, kernels::Storage::q5_0},
    {7, kernels::Storage::q5_1},
    {8, kernels::Storage::q8_0},
    {12, kernels::Storage::q4_k},
    {14, kernels::Storage::q6_k},
    {30, kernels::Storage::bf16},
}};

constexpr std::uint32_t gguf_tensor_type(kernels::Storage storage) {
  for (const auto& type : gguf_tensor_types) {
    if (type.storage == storage) return type.number;
  }
  return ~0U;  // not reached: every storage is in the table
}

}  // namespace lawful::model
