// Encoding by seams is BPE as it is defined, on random vocabularies and on SmolLM2's.
#include "tokenizer/byte_pair.hpp"

#include "props/property.hpp"
#include "props/tokenizer/small_vocabulary.hpp"
#include "props/tokenizer/smollm2.hpp"

namespace {

using namespace lawful;
using namespace lawful::tokenizer;
using props::SmallVocabulary;

std::string text_over(const std::string& alphabet, std::size_t most) {
  return *rc::gen::resize(static_cast<int>(most), rc::gen::container<std::string>(rc::gen::elementOf(alphabet)));
}

/// Fills `v` up with merges of any two tokens there are: many of them can then never come about.
void random_merges(SmallVocabulary& v, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto pick = [&] { return std::string(v.source.tokens[*rc::gen::inRange<std::size_t>(0, v.source.tokens.size())]); };
    const std::string left = pick(), right = pick();
    if (left.size() + right.size() <= 24 && !v.has(left + right)) v.merge(left, right);
  }
  if (v.source.merges.empty()) v.merge("a", "a");
}

std::vector<std::string> encoded(const Vocabulary& vocabulary, const BytePair& byte_pair, const std::string& text) {
  std::vector<Id> ids{7};  // encode appends
  byte_pair.encode(text, ids);
  RC_ASSERT(ids.at(0) == 7U);
  std::vector<std::string> parts;
  for (std::size_t i = 1; i < ids.size(); ++i) parts.emplace_back(vocabulary.bytes(ids[i]));
  return parts;
}

}  // namespace

TEST_CASE("on random vocabularies, encoding by seams is BPE as it is defined") {
  std::size_t not_whole = 0, long_texts = 0;
  props::property("encode = BPE as it is defined", [&] {
    SmallVocabulary v("abc");
    random_merges(v, *rc::gen::inRange<std::size_t>(1, 60));
    const Vocabulary vocabulary(v.source);
    const BytePair byte_pair(vocabulary);
    for (Symbol s = first_merged; s < byte_pair.symbols(); ++s) not_whole += !byte_pair.whole(s);
    for (int i = 0; i < 10; ++i) {
      const std::string text = text_over("aaabbcd", 150);  // "d" has no token
      long_texts += text.size() > 64;
      RC_ASSERT(encoded(vocabulary, byte_pair, text) == props::bpe_as_defined(v.source, text));
    }
  }, 1000);
  CHECK(not_whole > 1000);  // the vocabularies were the hard kind
  CHECK(long_texts > 100);
}

TEST_CASE("a symbol is whole if BPE makes it of its bytes, and two stay apart if it makes them of both") {
  std::size_t apart = 0, together = 0;
  props::property("whole and stay_apart are what they say", [&] {
    SmallVocabulary v("ab");
    random_merges(v, *rc::gen::inRange<std::size_t>(1, 25));
    const Vocabulary vocabulary(v.source);
    const BytePair byte_pair(vocabulary);
    std::vector<Symbol> whole;
    for (Symbol s = 0; s < byte_pair.symbols(); ++s) {
      if (byte_pair.id(s) == Vocabulary::none) continue;
      const std::string text(vocabulary.bytes(byte_pair.id(s)));
      RC_ASSERT(byte_pair.whole(s) == (props::bpe_as_defined(v.source, text) == std::vector{text}));
      if (byte_pair.whole(s)) whole.push_back(s);
    }
    for (const Symbol l : whole) {
      for (const Symbol r : whole) {
        const std::string left(vocabulary.bytes(byte_pair.id(l))), right(vocabulary.bytes(byte_pair.id(r)));
        const bool two = props::bpe_as_defined(v.source, left + right) == std::vector{left, right};
        RC_ASSERT(byte_pair.stay_apart(l, r) == two);
        ++(two ? apart : together);
      }
    }
  }, 150);
  CHECK(apart > 1000);
  CHECK(together > 1000);
}

TEST_CASE("of equal merges the leftmost goes first") {
  SmallVocabulary v("a");
  v.merge("a", "a");
  const Vocabulary vocabulary(v.source);
  const BytePair byte_pair(vocabulary);
  CHECK(encoded(vocabulary, byte_pair, "aaaaa") == std::vector<std::string>{"aa", "aa", "a"});
}

TEST_CASE("encoding longest match first would be wrong: there are steps back") {
  SmallVocabulary v("abc");
  v.merge("b", "c");
  v.merge("a", "b");
  v.merge("ab", "c");  // never comes about: "bc" is earlier
  v.merge("c", "a");
  const Vocabulary vocabulary(v.source);
  const BytePair byte_pair(vocabulary);
  CHECK(encoded(vocabulary, byte_pair, "abc") == std::vector<std::string>{"a", "bc"});
  CHECK(encoded(vocabulary, byte_pair, "abca") == std::vector<std::string>{"a", "bc", "a"});
  CHECK(encoded(vocabulary, byte_pair, "") == std::vector<std::string>{});
  CHECK(encoded(vocabulary, byte_pair, "dd") == std::vector<std::string>{});
}

TEST_CASE("every token of SmolLM2 but the control tokens is whole") {
  const BytePair byte_pair(props::smollm2().vocabulary());
  CHECK(byte_pair.symbols() == 256 + 48900);
  std::size_t whole = 0;
  for (Symbol s = 0; s < byte_pair.symbols(); ++s) whole += byte_pair.whole(s);
  CHECK(whole == 49152 - 17);
}

TEST_CASE("on SmolLM2, encoding by seams is BPE as it is defined") {
  const Vocabulary& vocabulary = props::smollm2().vocabulary();
  const PairTable pairs([&] {
    static const BytePair byte_pair(vocabulary);
    std::vector<Symbol> symbol_of(vocabulary.size());
    for (Symbol s = 0; s < byte_pair.symbols(); ++s) {
      if (byte_pair.id(s) != Vocabulary::none) symbol_of[byte_pair.id(s)] = s;
    }
    std::vector<SymbolPair> merges;
    for (const MergeIds& m : vocabulary.merges()) merges.push_back({symbol_of[m.left], symbol_of[m.right]});
    return merges;
  }());
  const BytePair byte_pair(vocabulary);
  const auto as_defined = [&](const std::string& text) {
    std::vector<Symbol> symbols;
    for (const char c : text) symbols.push_back(static_cast<unsigned char>(c));
    while (true) {
      std::size_t best = 0;
      Symbol first = no_symbol;
      for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
        const Symbol merged = pairs.find(symbols[i], symbols[i + 1]);
        if (merged < first) best = i, first = merged;
      }
      if (first == no_symbol) break;
      symbols[best] = first;
      symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
    std::vector<Id> ids;
    for (const Symbol s : symbols) ids.push_back(byte_pair.id(s));
    return ids;
  };
  props::property("encode = BPE as it is defined", [&] {
    const std::string text = *rc::gen::oneOf(
        rc::gen::container<std::string>(rc::gen::inRange('a', 'z')), rc::gen::container<std::string>(rc::gen::elementOf(std::string("aeinorst "))),
        rc::gen::container<std::string>(rc::gen::elementOf(std::string("  \n=-_/*a"))));
    std::vector<Id> ids;
    byte_pair.encode(text, ids);
    RC_ASSERT(ids == as_defined(text));
  }, 3000);
}
