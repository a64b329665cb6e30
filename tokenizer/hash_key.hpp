// The secret that hash tables mix into what they look up.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lawful::tokenizer {

/// Hashes that nobody who writes a model file can foresee: with a fixed function, a chosen vocabulary would put all its
/// tokens into one place of a table, and loading it would take quadratic time. Drawn at random, once in a process; only
/// places in tables depend on it, never a result. As wyhash, and as Go and Abseil hash with it: the two halves of a
/// product of 128 bits, folded.
class HashKey {
 public:
  /// The key of this process.
  HashKey() : HashKey(of_process()) {}

  /// 64 bits.
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return folded(a ^ first_, b ^ second_); }

  std::uint64_t operator()(std::string_view text) const {
    std::uint64_t hash = text.size();
    for (; text.size() > 8; text.remove_prefix(8)) hash = (*this)(hash ^ word(text.data(), 8), 0);
    return (*this)(hash ^ word(text.data(), text.size()), 0);
  }

 private:
  HashKey(std::uint64_t first, std::uint64_t second) : first_(first), second_(second) {}
  static const HashKey& of_process();

  static std::uint64_t word(const char* text, std::size_t length) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text, length);
    return bytes;
  }
  static std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
    __extension__ typedef unsigned __int128 Wide;
    const Wide product = Wide{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  }

  std::uint64_t first_, second_;
};

}  // namespace lawful::tokenizer
