// F32 values into the storages that `convert` writes: one rounding, to nearest even.
#pragma once
#include <cstddef>
#include <span>
#include <string_view>

#include "kernels/storage.hpp"

namespace lawful::model {

/// Storages that narrow() writes.
constexpr bool can_narrow_to(kernels::Storage s) {
  using kernels::Storage;
  return s == Storage::f32 || s == Storage::f16 || s == Storage::bf16 || s == Storage::q8_0;
}

/// Writes `values` (whole blocks) at `out`. F32, F16 and BF16 round to nearest, ties to even, subnormals included, and
/// keep NaN and infinities. Q8_0 is bit for bit the `gguf` package's quantization. Throws io::BadInput, naming `what`,
/// for a value that the storage has no number for: beyond ±65504 in F16, beyond F32's largest in BF16, and NaN,
/// infinite or beyond 127 · 65504 in Q8_0.
void narrow(kernels::Storage storage, std::span<const float> values, std::byte* out, std::string_view what);

}  // namespace lawful::model
