// What the cache of pieces gives back is what was put in, for that very piece.
#include "tokenizer/piece_cache.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace {

using namespace lawful::tokenizer;

PieceKey key_of(const std::string& piece) { return PieceKey::of(piece.data(), piece.size(), piece.size()); }

std::vector<Id> found(const PieceCache& cache, const std::string& piece) {
  const auto ids = cache.find(key_of(piece));
  return {ids.begin(), ids.end()};
}

}  // namespace

TEST_CASE("a key is the bytes and their number, whatever follows them in the text") {
  const std::string text = "abcdefghijklmnopqrstuvwxyz";
  for (std::size_t length = 0; length <= PieceKey::most_bytes; ++length) {
    const PieceKey alone = key_of(text.substr(0, length));
    CHECK(PieceKey::of(text.data(), length, text.size()) == alone);
    CHECK(PieceKey::of(text.data(), length, 16) == alone);
    for (std::size_t other = 0; other <= PieceKey::most_bytes; ++other) {
      CHECK((key_of(text.substr(0, other)) == alone) == (other == length));
      CHECK((key_of(std::string(other, '\0')) == key_of(std::string(length, '\0'))) == (other == length));
    }
  }
}

TEST_CASE("what was remembered is found, until another piece takes its place") {
  PieceCache cache(0);  // the smallest
  CHECK(found(cache, "piece").empty());
  std::map<std::string, std::vector<Id>> last_put;
  std::size_t hits = 0;
  for (Id i = 0; i < 3000; ++i) {
    const std::string piece = "the same" + std::to_string(i);  // eight bytes are alike
    for (const auto& [other, ids] : last_put) {
      const auto answer = found(cache, other);
      hits += !answer.empty();
      const bool right = answer.empty() || answer == ids;
      if (!right) CHECK(answer == ids);
    }
    CHECK(found(cache, piece).empty());
    const std::vector<Id> ids(1 + i % 11, i);
    cache.remember(key_of(piece), ids);
    CHECK(found(cache, piece) == ids);
    last_put[piece] = ids;
    if (last_put.size() > 30) last_put.erase(last_put.begin());
  }
  CHECK(hits > 1000);
}

TEST_CASE("no ids, and more than fit, are not remembered") {
  PieceCache cache(1000);
  cache.remember(key_of("none"), {});
  CHECK(found(cache, "none").empty());
  cache.remember(key_of("twelve"), std::vector<Id>(12, 1));
  CHECK(found(cache, "twelve").empty());
}
