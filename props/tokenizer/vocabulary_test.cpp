// A vocabulary that is not sound is refused, in words that say where and why.
#include "tokenizer/vocabulary.hpp"

#include <doctest/doctest.h>

#include <random>

#include "props/rejection.hpp"
#include "props/tokenizer/small_vocabulary.hpp"
#include "tokenizer/special_tokens.hpp"
#include "tokenizer/tokenizer.hpp"

namespace {

using namespace lawful;
using namespace lawful::tokenizer;
using props::rejection;
using props::SmallVocabulary;

std::string refusal(const SmallVocabulary& v) {
  return rejection([&] { Tokenizer tokenizer(v.source); });
}

}  // namespace

TEST_CASE("a sound vocabulary is taken as it is") {
  SmallVocabulary v("ab");
  v.merge("a", "b");
  v.token("<|end|>", TokenKind::control);
  v.token("\u0120\u00e9");  // a space and the byte E9; made by no merge
  const Vocabulary vocabulary(v.source);
  CHECK(vocabulary.size() == 5);
  CHECK(vocabulary.bytes(2) == "ab");
  CHECK(vocabulary.bytes(3) == "<|end|>");
  CHECK(vocabulary.bytes(4) == " \xE9");
  CHECK(vocabulary.length(4) == 2);
  CHECK(vocabulary.kind(3) == TokenKind::control);
  CHECK(vocabulary.byte_token('a') == 0);
  CHECK(vocabulary.byte_token('c') == Vocabulary::none);
  REQUIRE(vocabulary.merges().size() == 1);
  CHECK(vocabulary.merges()[0].left == 0);
  CHECK(vocabulary.merges()[0].right == 1);
  CHECK(vocabulary.merges()[0].result == 2);
  CHECK(Tokenizer(v.source).encode("ab<|end|>b") == std::vector<Id>{2, 3, 1});
}

TEST_CASE("of special tokens the leftmost counts, then the longest; they need not begin alike") {
  SmallVocabulary v("ab<>x[");
  v.merge("a", "b");
  for (const char* special : {"<x", "<x>", "<x>a", "[x", "x["}) v.token(special, TokenKind::control);  // 7 to 11
  const Tokenizer tokenizer(v.source);
  CHECK(tokenizer.encode("<x>ab") == std::vector<Id>{9, 1});
  CHECK(tokenizer.encode("<x>b") == std::vector<Id>{8, 1});
  CHECK(tokenizer.encode("<xb") == std::vector<Id>{7, 1});
  CHECK(tokenizer.encode("a[x[x<x") == std::vector<Id>{0, 10, 10, 7});
  CHECK(tokenizer.encode("ax[x") == std::vector<Id>{0, 11, 4});
  CHECK(tokenizer.encode("<x>a", Specials::plain) == std::vector<Id>{2, 4, 3, 0});
}

TEST_CASE("special tokens at random: as if each place were tried with each of them") {
  std::mt19937 random(20261207);
  for (int round = 0; round < 300; ++round) {
    const auto drawn = [&](std::size_t most) {
      std::string text(1 + random() % most, 'a');
      for (char& c : text) c = static_cast<char>('a' + random() % 2);
      return text;
    };
    SmallVocabulary v("xy");
    v.merge("x", "y");
    for (int i = 0; i < 6; ++i) {
      if (const std::string token = drawn(5); !v.has(token)) v.token(token, TokenKind::control);
    }
    const std::string text = drawn(40);
    std::vector<std::pair<std::size_t, Id>> expected, found;
    for (std::size_t at = 0; at < text.size();) {
      Id longest = Vocabulary::none;
      for (Id id = 3; id < v.source.tokens.size(); ++id) {
        const std::string_view token = v.source.tokens[id];
        if (!text.substr(at).starts_with(token)) continue;
        if (longest == Vocabulary::none || token.size() > v.source.tokens[longest].size()) longest = id;
      }
      if (longest != Vocabulary::none) expected.emplace_back(at, longest);
      at += longest == Vocabulary::none ? 1 : v.source.tokens[longest].size();
    }
    const Vocabulary vocabulary(v.source);
    for (const auto& one : SpecialTokens(vocabulary).find(text)) found.emplace_back(one.begin, one.id);
    CHECK(found == expected);
  }
}

TEST_CASE("each byte has its character in the alphabet") {
  SmallVocabulary v("ab");
  v.merge("a", "b");
  v.token("\u0100");  // NUL: the first byte that is not spelled as itself
  v.token("\u0143");  // AD: the last
  v.token("\u0121");  // 7F
  const Vocabulary vocabulary(v.source);
  CHECK(vocabulary.byte_token(0) == 3);
  CHECK(vocabulary.byte_token(0xAD) == 4);
  CHECK(vocabulary.byte_token(0x7F) == 5);
}

TEST_CASE("no merges, or a token without its kind") {
  SmallVocabulary v("ab");
  CHECK(refusal(v) == "small: merges: expected at least one, found none");
  v.merge("a", "b");
  v.source.kinds.pop_back();
  CHECK(refusal(v) == "small: token kinds: expected 3, one a token, found 2");
}

TEST_CASE("a token that is empty, doubled or misspelled") {
  const auto with = [](const std::string& spelling, TokenKind kind) {
    SmallVocabulary v("ab");
    v.merge("a", "b");
    v.token(spelling, kind);
    return refusal(v);
  };
  CHECK(with("", TokenKind::normal) == "small: token 3: expected a spelling, found an empty one");
  CHECK(with("", TokenKind::control) == "small: token 3: expected a spelling, found an empty one");
  CHECK(with("ab", TokenKind::normal) ==
        "small: token 3: expected a spelling of its own, found the spelling of token 2");
  CHECK(with("ab", TokenKind::control) ==
        "small: token 3: expected a spelling of its own, found the spelling of token 2");
  for (const std::string wrong : {"a b", "\t", "\u00ad", "\u0144", "\u4e00", "\xC4", "\xC1\x81", "\xC4\x41", "\x80"}) {
    CAPTURE(wrong);
    CHECK(with(wrong, TokenKind::normal) ==
          "small: token 3: expected a spelling in the byte alphabet, found another character");
  }
  CHECK(with("<|\u00e9|>", TokenKind::control) ==
        "small: token 3: expected a control token in ASCII, found another character");
  CHECK(props::contains(with(std::string(5U << 20U, 'a'), TokenKind::normal), "at most 4194304 bytes in all tokens"));
}

TEST_CASE("a merge whose parts or result are not there") {
  const auto with = [](const std::string& left, const std::string& right) {
    SmallVocabulary v("ab");
    v.merge("a", "b");
    v.token("<x>", TokenKind::control);
    v.token("<");
    v.token("x>");
    v.token("x");
    v.token(">");
    v.token("aab");
    v.bare_merge(left, right);
    return refusal(v);
  };
  const std::string parts = "expected two single bytes or tokens that earlier merges make, found another part";
  CHECK(with("a", "ab") == "");
  CHECK(with("c", "a") == "small: merge 1 ('c' 'a'): " + parts);
  CHECK(with("a", "") == "small: merge 1 ('a' ''): " + parts);
  CHECK(with("aab", "a") == "small: merge 1 ('aab' 'a'): " + parts);  // a token that no merge makes
  CHECK(with("a", "<x>") == "small: merge 1 ('a' '<x>'): " + parts);
  CHECK(with("b", "b") == "small: merge 1 ('b' 'b'): expected a result in the vocabulary, found none");
  CHECK(with("x", ">") == "");
  CHECK(with("a", "b") ==
        "small: merge 1 ('a' 'b'): expected a result that no earlier merge makes, "
        "found one that an earlier merge makes");
}

TEST_CASE("a merge that makes a control token, or makes again what another merge made") {
  SmallVocabulary control("<x");
  control.token("<x", TokenKind::control);
  control.bare_merge("<", "x");
  CHECK(refusal(control) == "small: merge 0 ('<' 'x'): expected a result in the vocabulary, found none");

  SmallVocabulary twice("abc");
  twice.merge("a", "b");
  twice.merge("b", "c");
  twice.merge("ab", "c");
  twice.bare_merge("a", "bc");
  CHECK(refusal(twice) == "small: merge 3 ('a' 'bc'): expected a result that no earlier merge makes, "
                          "found one that an earlier merge makes");
}

TEST_CASE("a part that only a later merge makes") {
  SmallVocabulary v("abc");
  v.token("ab");
  v.merge("ab", "c");
  v.bare_merge("a", "b");
  CHECK(props::contains(refusal(v),
                        "merge 0 ('ab' 'c'): expected two single bytes or tokens that earlier merges make"));
}

TEST_CASE("a written merge is two tokens with one space between them") {
  CHECK(split_merge("a b", 0, "f").left == "a");
  CHECK(split_merge("\u0120a bc", 0, "f").right == "bc");
  for (const std::string wrong : {"", "ab", "a b c", "a  b"}) {
    CAPTURE(wrong);
    CHECK(rejection([&] { split_merge(wrong, 7, "f"); }) ==
          "f: merge 7: expected two tokens with one space between them, found something else");
  }
}
