// Vocabularies that were made to be slow: loading them and encoding with them takes no longer than with any other.
#include <doctest/doctest.h>
#include <time.h>

#include <cstring>
#include <functional>
#include <string>

#include "props/tokenizer/small_vocabulary.hpp"
#include "tokenizer/piece_table.hpp"
#include "tokenizer/tokenizer.hpp"

namespace {

using namespace lawful;
using namespace lawful::tokenizer;
using props::SmallVocabulary;

// Far above what is needed, far below what a quadratic table or search takes.
constexpr double most_seconds = 4.0;

double seconds_to(const std::function<void()>& work) {
  const auto now = [] {
    timespec at{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
    return static_cast<double>(at.tv_sec) + 1e-9 * static_cast<double>(at.tv_nsec);
  };
  const double begin = now();
  work();
  return now() - begin;
}

constexpr char first_letter = '!', last_letter = '~';

std::string letters() {
  std::string all;
  for (char c = first_letter; c <= last_letter; ++c) all += c;
  return all;
}

/// Each pair of letters is a merge; and those pairs of pairs that `chosen` is true of, up to `most`.
void merge_pairs(SmallVocabulary& v, std::size_t most,
                 const std::function<bool(std::uint64_t left, std::uint64_t right, const std::string&)>& chosen) {
  std::vector<std::string> pairs;
  for (const char a : letters()) {
    for (const char b : letters()) v.merge(std::string(1, a), std::string(1, b)), pairs.push_back({a, b});
  }
  std::string joined(4, ' ');
  for (std::size_t left = 0; left < pairs.size(); ++left) {
    for (std::size_t right = 0; right < pairs.size(); ++right) {
      std::memcpy(joined.data(), pairs[left].data(), 2);
      std::memcpy(joined.data() + 2, pairs[right].data(), 2);
      if (!chosen(256 + left, 256 + right, joined)) continue;
      v.merge(pairs[left], pairs[right]);
      if (--most == 0) return;
    }
  }
}

constexpr std::uint64_t golden = 0x9E3779B97F4A7C15U;
constexpr std::size_t many = 120'000;
// One of 500: 78 million pairs of pairs hold enough of them.
bool is_low(std::uint64_t hash32) { return hash32 < (std::uint64_t{1} << 32) / 500; }

}  // namespace

TEST_CASE("merges whose pairs collide under Fibonacci hashing") {
  SmallVocabulary v(letters());
  merge_pairs(v, many, [](std::uint64_t left, std::uint64_t right, const std::string&) {
    return is_low((left << 32 | right) * golden >> 32);
  });
  REQUIRE(v.source.merges.size() > many);
  CHECK(seconds_to([&] { Tokenizer tokenizer(v.source); }) < most_seconds);
}

TEST_CASE("short tokens that collide under a fixed mix of their bytes") {
  SmallVocabulary v(letters());
  merge_pairs(v, many, [](std::uint64_t, std::uint64_t, const std::string& text) {
    const PieceKey key = PieceKey::of(text.data(), text.size(), text.size());
    const std::uint64_t mixed = key.low * golden ^ key.high * 0xC2B2AE3D27D4EB4FU;
    return is_low((mixed ^ mixed >> 32) * golden >> 32);
  });
  REQUIRE(v.source.merges.size() > many);
  CHECK(seconds_to([&] { Tokenizer tokenizer(v.source); }) < most_seconds);
}

namespace {

/// Texts of 16 ASCII bytes with the same lower half of MurmurHash64A, which libstdc++ hashes strings with, from its
/// fixed seed. Each step of that hash can be undone: of the second word all is known but the hash's upper half.
class MurmurCollisions {
 public:
  std::string next() {
    while (true) {
      const std::uint64_t first = ++tried_ & 0x7F7F7F7F7F7F7F7FU;
      const std::uint64_t before = ((seed ^ 16 * factor) ^ mixed(first)) * factor;
      const std::uint64_t after = unshifted(unshifted(tried_ << 32) * inverse);  // the hash's lower half is 0
      std::uint64_t second = (after * inverse ^ before) * inverse;
      second = unshifted(second) * inverse;
      if ((second & 0x8080808080808080U) != 0) continue;
      std::string text(16, '\0');
      std::memcpy(text.data(), &first, 8);
      std::memcpy(text.data() + 8, &second, 8);
      return text;
    }
  }

 private:
  static constexpr std::uint64_t seed = 0xC70F6907U, factor = 0xC6A4A7935BD1E995U, inverse = 0x5F7A0EA7E59B19BDU;
  static_assert(factor * inverse == 1);
  static std::uint64_t unshifted(std::uint64_t x) { return x ^ x >> 47; }  // its own inverse
  static std::uint64_t mixed(std::uint64_t word) { return unshifted(word * factor) * factor; }
  std::uint64_t tried_ = 0;
};

}  // namespace

TEST_CASE("spellings that collide under the standard library's hash") {
  SmallVocabulary v("ab");
  v.merge("a", "b");
  MurmurCollisions collisions;
  for (std::size_t i = 0; i < many; ++i) v.token(collisions.next(), TokenKind::control);
  CHECK(seconds_to([&] { Tokenizer tokenizer(v.source); }) < most_seconds);
}

TEST_CASE("more special tokens than anyone needs, and a text of their beginnings") {
  SmallVocabulary v("<a");
  v.merge("<", "a");
  for (std::size_t i = 0; i < many; ++i) v.token(std::string("<").append(std::to_string(i)).append(">"), TokenKind::control);
  const Tokenizer tokenizer(v.source);
  const std::string text(1U << 20U, '<');
  CHECK(seconds_to([&] { CHECK(tokenizer.encode(text + "<77>").back() == 3 + 77); }) < most_seconds);
}

TEST_CASE("a special token that is nearly in the text everywhere, beside a short one that is") {
  SmallVocabulary v("bc");
  v.merge("b", "c");
  const std::string text(1U << 20U, 'a');
  v.token("a", TokenKind::control);
  v.token(text + "b", TokenKind::control);
  const Tokenizer tokenizer(v.source);
  const std::vector<Id> expected(2 * text.size(), 3);
  CHECK(seconds_to([&] { CHECK(tokenizer.encode(text + text) == expected); }) < most_seconds);
  CHECK(tokenizer.encode(text + "bb") == std::vector<Id>{4, 0});
}
