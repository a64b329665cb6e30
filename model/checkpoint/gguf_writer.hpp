// The header of a GGUF file, version 3, little endian: keys and the list of tensors.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/storage.hpp"

namespace lawful::model {

/// Gathers keys and tensors; header() is the file up to the first byte of tensor data. The data follow in the order of
/// tensor(), each padded to `alignment`.
class GgufWriter {
 public:
  static constexpr std::uint64_t alignment = 32;  ///< the format's default

  void unsigned_integer(std::string_view key, std::uint32_t value);
  void real(std::string_view key, float value);
  void boolean(std::string_view key, bool value);
  void string(std::string_view key, std::string_view value);
  void strings(std::string_view key, const std::vector<std::string>& values);
  void integers(std::string_view key, const std::vector<std::int32_t>& values);

  /// `shape` is rows first, as everywhere in this project; the file has it the other way round.
  void tensor(std::string_view name, const std::vector<std::uint64_t>& shape, kernels::Storage storage);

  std::string header() const;
  /// Bytes of tensor data, padding included.
  std::uint64_t data_bytes() const { return data_bytes_; }

  static constexpr std::uint64_t padded(std::uint64_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  }

 private:
  std::string entries_, tensors_;
  std::uint64_t entry_count_ = 0, tensor_count_ = 0, data_bytes_ = 0;
};

}  // namespace lawful::model
