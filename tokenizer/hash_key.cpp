#include "tokenizer/hash_key.hpp"

#include <random>

namespace lawful::tokenizer {

const HashKey& HashKey::of_process() {
  static const HashKey key = [] {
    std::random_device random;
    const auto word = [&] { return std::uint64_t{random()} << 32U | random(); };
    const std::uint64_t first = word();
    return HashKey(first, word() | 1U);  // a factor that is never 0
  }();
  return key;
}

}  // namespace lawful::tokenizer
