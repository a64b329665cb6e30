// A GGUF file in parts, for tests that change one of them: nothing here is checked, any nonsense can be written.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lawful::props {

struct GgufImage {
  struct Entry {
    std::string key;
    std::string value;  ///< type number and bytes
  };
  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> dims;  ///< the contiguous length first
    std::uint32_t type;
    std::string data;
    std::optional<std::uint64_t> offset;  ///< absent: after the tensor before, padded
  };

  std::string magic = "GGUF";
  std::uint32_t version = 3;
  std::optional<std::uint64_t> tensor_count, entry_count;  ///< absent: the true ones
  std::uint64_t alignment = 32;                            ///< of the image; general.alignment is an entry of its own
  std::vector<Entry> entries;
  std::vector<Tensor> tensors;

  /// Replaces the first entry of that key, or adds one.
  void set(std::string_view key, std::string value);
  void remove(std::string_view key);
  Tensor& tensor(std::string_view name);

  std::string bytes() const;
};

// Values as they lie in the file, type number first.
std::string gguf_u8(std::uint8_t value);
std::string gguf_u32(std::uint32_t value);
std::string gguf_i32(std::int32_t value);
std::string gguf_u64(std::uint64_t value);
std::string gguf_f32(float value);
std::string gguf_f64(double value);
std::string gguf_bool(bool value);
std::string gguf_string(std::string_view value);
std::string gguf_strings(const std::vector<std::string>& values);
std::string gguf_i32s(const std::vector<std::int32_t>& values);
std::string gguf_u8s(const std::vector<std::uint8_t>& values);
/// A number without a type: for values that are put together by hand.
std::string raw_u32(std::uint32_t value);
std::string raw_u64(std::uint64_t value);

}  // namespace lawful::props
