// The split is the reference's regex, tried alternative by alternative on code points.
#include "tokenizer/split.hpp"

#include "props/property.hpp"
#include "props/tokenizer/texts.hpp"
#include "props/tokenizer/unicode_reference.hpp"
#include "tokenizer/character_class.hpp"

namespace {

using namespace lawful;

std::vector<std::string> pieces(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t at = 0, end; at < text.size(); at = end) {
    end = tokenizer::piece_end(text, at);
    REQUIRE(end > at);
    all.push_back(text.substr(at, end - at));
  }
  return all;
}

// ---- The reference: isolate what Digits isolates; then, in each rest, the regex as it is written.

using Text = std::u32string;
enum class Kind { letter, number, space, other };

bool isolated(char32_t c) { return props::reference_class(c).back() == 'd'; }
Kind kind_of(char32_t c) {
  switch (props::reference_class(c)[0]) {
    case 'L': return Kind::letter;
    case 'N': return Kind::number;
    case 'S': return Kind::space;
    default: return Kind::other;
  }
}

/// " ?X+" at `at`: the end of the match, or `at` if there is none.
std::size_t optional_space_then(const Text& text, std::size_t at, Kind kind) {
  std::size_t end = at < text.size() && text[at] == U' ' ? at + 1 : at;
  const std::size_t first = end;
  while (end < text.size() && kind_of(text[end]) == kind) ++end;
  return end > first ? end : at;
}

std::size_t match(const Text& text, std::size_t at) {
  for (const Text contraction : {U"'s", U"'t", U"'re", U"'ve", U"'m", U"'ll", U"'d"}) {
    if (text.compare(at, contraction.size(), contraction) == 0) return at + contraction.size();
  }
  for (const Kind kind : {Kind::letter, Kind::number, Kind::other}) {
    const std::size_t end = optional_space_then(text, at, kind);
    if (end > at) return end;
  }
  std::size_t run = at;
  while (run < text.size() && kind_of(text[run]) == Kind::space) ++run;
  for (std::size_t end = run; end > at; --end) {  // \s+(?!\S): give characters back until no non-space follows
    if (end == text.size() || kind_of(text[end]) == Kind::space) return end;
  }
  return run;
}

std::vector<std::string> reference_pieces(const std::string& text) {
  std::vector<std::string> all;
  const auto cut_by_regex = [&](const Text& part) {
    for (std::size_t at = 0, end; at < part.size(); at = end) {
      end = match(part, at);
      all.push_back(props::utf8_of(part.substr(at, end - at)));
    }
  };
  Text part;
  for (const char32_t c : props::code_points(text)) {
    if (!isolated(c)) {
      part += c;
      continue;
    }
    cut_by_regex(part);
    part.clear();
    cut_by_regex(Text(1, c));
  }
  cut_by_regex(part);
  return all;
}

}  // namespace

TEST_CASE("every scalar value has the reference's class") {
  std::size_t seen[4] = {};
  for (const auto& range : props::class_ranges()) {
    const auto expected = range.name.back() == 'd' ? tokenizer::CharacterClass::numeric
                          : range.name == "L"      ? tokenizer::CharacterClass::letter
                          : range.name == "S"      ? tokenizer::CharacterClass::space
                                                   : tokenizer::CharacterClass::other;
    std::size_t wrong = 0;
    for (char32_t c = range.first; c <= range.last; ++c) wrong += tokenizer::character_class(c) != expected;
    CAPTURE(static_cast<unsigned>(range.first));
    CHECK(wrong == 0);
    seen[static_cast<std::size_t>(expected)] += range.last - range.first + 1;
  }
  CHECK(seen[0] + seen[1] + seen[2] + seen[3] == 0x110000 - 0x800);
  CHECK(seen[static_cast<std::size_t>(tokenizer::CharacterClass::space)] == 25);
}

TEST_CASE("the split is the reference's, on random texts") {
  props::property("split = Digits, then the regex", [] {
    const auto text = *props::texts();
    RC_ASSERT(pieces(text) == reference_pieces(text));
  }, 20000);
}

TEST_CASE("the split is the reference's, on every text of up to five of the characters that matter") {
  const std::vector<std::string> characters{" ", "\n", "\u00a0", "a", "s", "'", ".", "7", "\u4e00", "\U00011de0"};
  std::size_t texts = 0;
  for (std::size_t length = 1; length <= 5; ++length) {
    std::size_t count = 1;
    for (std::size_t i = 0; i < length; ++i) count *= characters.size();
    for (std::size_t n = 0; n < count; ++n, ++texts) {
      std::string text;
      for (std::size_t i = 0, rest = n; i < length; ++i, rest /= characters.size()) text += characters[rest % characters.size()];
      const bool same = pieces(text) == reference_pieces(text);
      if (same) continue;
      CAPTURE(text);
      CHECK(same);
    }
  }
  CHECK(texts == 111110);
}

TEST_CASE("a word ends where it ends, at each place of the eight bytes that are looked at together") {
  for (std::size_t length = 0; length < 20; ++length) {
    for (unsigned c = 0; c < 128; ++c) {
      for (const std::string after : {"", "zZ", "abcdefghijklmnopqrstuvwxyz"}) {
        const std::string text = std::string(length, 'z') + static_cast<char>(c) + after;
        CAPTURE(text);
        CHECK(pieces(text) == reference_pieces(text));
      }
    }
    const std::string text = std::string(length, 'A') + "\u00e9" + std::string(length, 'Z') + "\u00b7";
    CHECK(pieces(text) == reference_pieces(text));
  }
}

TEST_CASE("contractions are case-sensitive, ASCII, and the first alternative that matches") {
  const auto expect = [](const std::string& text, const std::vector<std::string>& wanted) {
    CAPTURE(text);
    CHECK(pieces(text) == wanted);
  };
  expect("I'm", {"I", "'m"});
  expect("I'M", {"I", "'", "M"});
  expect("''s", {"''", "s"});
  expect(" 's", {" '", "s"});
  expect("he's's", {"he", "'s", "'s"});
  expect("'sa", {"'s", "a"});
  expect("'rea 'll", {"'re", "a", " '", "ll"});
  expect("'l", {"'", "l"});
  expect("'", {"'"});
  expect("\u2019s", {"\u2019", "s"});
}
