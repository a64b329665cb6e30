// Small Llamas for tests whose weights every storage holds exactly: one seed, one function, in any format.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/storage.hpp"
#include "model/config.hpp"

namespace lawful::props {

/// A matrix [rows, cols] or vector [length] of values q · s · 2^exponent, q from −8 to 7, and s of 1, 2 or 4 shared by
/// 32 values. Such values are exact in F32, F16, BF16, and in every block type of GGUF.
struct TestTensor {
  std::string name;  ///< Hugging Face's
  std::vector<std::uint64_t> shape;
  int exponent;
  std::vector<std::int8_t> q;
  std::vector<std::uint8_t> s;  ///< one for each 32 values of q

  std::vector<float> values() const;
  /// The bytes of these values in `storage`; the row length must be whole blocks.
  std::string encoded(kernels::Storage storage) const;
};

struct TestModel {
  model::Config config;
  bool tied;
  std::vector<TestTensor> tensors;  ///< embedding, layers, final norm, and the head if it is not tied
};

/// Weights of about unit gain, so that activations neither vanish nor grow; different for each seed.
TestModel make_test_model(const model::Config& config, std::uint64_t seed, bool tied = true);

/// Whether rows of `cols` values are whole blocks of `storage`.
constexpr bool fits(kernels::Storage storage, std::uint64_t cols) {
  return cols % kernels::block_shape(storage).values == 0;
}

}  // namespace lawful::props
