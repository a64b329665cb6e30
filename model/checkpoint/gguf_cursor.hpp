// Reads little-endian values from a file's bytes, front to back, never past the end.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "io/bad_input.hpp"
#include "kernels/index.hpp"

namespace lawful::model {

static_assert(std::endian::native == std::endian::little, "the file's values are read as the machine's own");

template <class T>
T load_unaligned(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

class GgufCursor {
 public:
  GgufCursor(std::span<const std::byte> bytes, std::string_view path) : bytes_(bytes), path_(path) {}

  std::uint64_t position() const { return position_; }
  std::uint64_t remaining() const { return bytes_.size() - position_; }
  const std::byte* here() const { return bytes_.data() + position_; }

  /// The next `count` bytes; `what` names them where the file ends before.
  const std::byte* take(std::uint64_t count, std::string_view what) {
    if (count > remaining()) {
      io::reject(fmt::format("{}: {} at byte {}", path_, what, position_), fmt::format("{} bytes", count),
                 fmt::format("{} before the end of the file", remaining()));
    }
    const std::byte* at = here();
    position_ = kernels::Index::after_reading(position_, count);
    return at;
  }

  template <class T>
  T number(std::string_view what) {
    return load_unaligned<T>(take(sizeof(T), what));
  }

  /// A 64-bit length and that many bytes.
  std::string_view string(std::string_view what) {
    const auto length = number<std::uint64_t>(what);
    return {reinterpret_cast<const char*>(take(length, what)), length};
  }

  /// A 64-bit count of things that take at least `least` bytes each, checked against the bytes that remain, and at
  /// most `most`.
  std::uint64_t count(std::uint64_t least, std::string_view what, std::uint64_t most = ~std::uint64_t{0}) {
    const auto count = number<std::uint64_t>(what);
    if (count > remaining() / least) {
      io::reject(fmt::format("{}: {}", path_, what),
                 fmt::format("at most {}, for which the file has room", remaining() / least), fmt::to_string(count));
    }
    if (count > most) {
      io::reject(fmt::format("{}: {}", path_, what), fmt::format("at most {}", most), fmt::to_string(count));
    }
    return count;
  }

 private:
  std::span<const std::byte> bytes_;
  std::string_view path_;
  std::uint64_t position_ = 0;
};

}  // namespace lawful::model
