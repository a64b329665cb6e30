// The GGUF container, versions 2 and 3, little endian: keys with typed values, and tensors.
// Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. What the keys mean is read elsewhere.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/storage.hpp"

namespace lawful::model {

/// The type of a metadata value, by its number in the file.
enum class GgufType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

/// A metadata value where it lies in the file: `count` elements of `type` (1 unless `is_array`) from `bytes` on.
/// Its extent was checked when the file was read.
struct GgufValue {
  GgufType type;
  bool is_array;
  std::uint64_t count;
  const std::byte* bytes;
};

/// A tensor as the file lists it. `dims` starts with the contiguous length (ne[0]); bytes and size were checked.
struct GgufTensor {
  std::string_view name;
  std::vector<std::uint64_t> dims;
  kernels::Storage storage;
  const std::byte* bytes;
  std::uint64_t byte_count;
};

/// A view into the bytes of a file, which must outlive it. Construction checks everything that can be checked without
/// knowing the model; the getters check types. All throw io::BadInput naming the file and the field.
class GgufFile {
 public:
  GgufFile(std::span<const std::byte> bytes, std::string path);

  std::uint32_t version() const { return version_; }
  const std::vector<GgufTensor>& tensors() const { return tensors_; }

  struct Entry {
    std::string_view key;
    GgufValue value;
  };
  /// All metadata, sorted by key.
  const std::vector<Entry>& entries() const { return entries_; }

  /// Absent keys give nothing; a value of another type throws.
  std::optional<std::uint64_t> unsigned_integer(std::string_view key) const;
  std::optional<double> real(std::string_view key) const;
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<std::string_view> string(std::string_view key) const;
  /// Arrays come as views, in file order; they may be empty.
  std::optional<std::vector<std::string_view>> strings(std::string_view key) const;
  std::optional<std::vector<std::int32_t>> integers(std::string_view key) const;

 private:
  const GgufValue* find(std::string_view key) const;
  const GgufValue* scalar(std::string_view key, std::string_view expected) const;
  [[noreturn]] void wrong_type(std::string_view key, std::string_view expected, const GgufValue& found) const;

  std::string path_;
  std::uint32_t version_ = 0;
  std::vector<Entry> entries_;
  std::vector<GgufTensor> tensors_;
};

}  // namespace lawful::model
