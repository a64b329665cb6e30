// Texts that public tokenizers got wrong (the names are the rows of the project's collection of such faults).
#include <doctest/doctest.h>

#include <algorithm>

#include "io/utf8.hpp"
#include "props/rejection.hpp"
#include "props/tokenizer/smollm2.hpp"
#include "tokenizer/detokenizer.hpp"

namespace {

using namespace lawful;
using namespace lawful::tokenizer;
using Ids = std::vector<Id>;
using props::smollm2;

void expect(const std::string& text, const Ids& ids) {
  CAPTURE(text);
  CHECK(smollm2().encode(text) == ids);
}

/// What each push hands out, then what finish does.
std::vector<std::string> streamed(const Ids& ids) {
  Detokenizer stream(smollm2());
  std::vector<std::string> parts;
  for (const Id id : ids) parts.emplace_back(stream.push(id));
  parts.emplace_back(stream.finish());
  return parts;
}

}  // namespace

TEST_CASE("B1: numeric characters are isolated before the regex") {
  expect("1.\n\n2.", {33, 30, 1116, 34, 30});
  expect("a  2", {81, 256, 34});
  expect("   7", {333, 39});
  expect(" \u00bd", {216, 16738});
  expect("\n  1", {11181, 33});
  expect("\r\n\r\n9", {18682, 41});
}

TEST_CASE("B6: a run of spaces leaves its last one to the word behind it") {
  expect("a  b", {81, 216, 278});
  expect("a   b", {81, 256, 278});
  expect("hello  ", {28120, 256});
  expect("a\n\n b", {81, 1116, 278});
  expect("\t\tx", {197, 197, 104});
  expect("\u00a0\u00a0x", {15442, 15442, 104});
}

TEST_CASE("B7: a character comes out of the stream whole, and nothing stalls") {
  using Parts = std::vector<std::string>;
  CHECK(streamed({10813, 116, 243}) == Parts{"", "", "\U0001f999", ""});
  CHECK(streamed({23274, 115, 40993, 179, 120, 248}).back().empty());
  const Id bad = smollm2().vocabulary().byte_token(0x80), lead = smollm2().vocabulary().byte_token(0xE2), a = 81;
  CHECK(streamed({bad, a}) == Parts{"\x80", "a", ""});
  CHECK(streamed({lead, a}) == Parts{"", "\xE2" "a", ""});
  CHECK(streamed({lead, lead}) == Parts{"", "\xE2", "\xE2"});
  CHECK(streamed({10813, 116}).back() == smollm2().decode(Ids{10813, 116}));  // ends within the character
  CHECK(streamed({}) == Parts{""});
}

TEST_CASE("B7: 313 ordinary tokens are not valid UTF-8 by themselves") {
  std::size_t invalid = 0, control = 0;
  for (Id id = 0; id < smollm2().size(); ++id) {
    const std::string_view bytes = smollm2().token_bytes(id);
    invalid += io::valid_utf8_prefix(bytes) != bytes.size();
    control += smollm2().vocabulary().kind(id) == TokenKind::control;
  }
  CHECK(invalid == 313);
  CHECK(control == 17);
}

TEST_CASE("B7: a decoder that was finished starts afresh") {
  Detokenizer stream(smollm2());
  CHECK(stream.push(10813).empty());
  CHECK(stream.held() == 2);
  CHECK(stream.push(116).empty());
  CHECK(stream.held() == 3);
  CHECK(stream.finish().size() == 3);
  CHECK(stream.held() == 0);
  CHECK(stream.push(81) == "a");
}

TEST_CASE("B15: the eight bytes without a token are dropped before merging") {
  std::string without;
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (smollm2().vocabulary().byte_token(static_cast<unsigned char>(byte)) == Vocabulary::none) {
      without += static_cast<char>(byte);
    }
  }
  CHECK(without == "\x04\x06\x13\x14\x16\x1D\xC0\xC1\xF1\xF2\xF5\xF6\xF7\xF8\xF9\xFA\xFB\xFC\xFD\xFE\xFF");
  expect("!\x04!", {10095});
  expect("=\x06=", {1189});
  expect("\x04", {});
  expect("\U00040000", {218, 218, 218});
  expect(std::string(5000, '\x04') + "a", {81});
}

TEST_CASE("B16: letters, numbers and spaces are Unicode's") {
  expect("\u00bd", {16738});
  expect("\u00b2x", {19133, 104});
  expect("\u0663\u0664", {164, 113, 164, 114});
  expect("\u0662  \u0663", {164, 112, 256, 164, 113});
  expect("\u4e00\u4e8c", {22924, 16736, 230});
  expect("e\u0301", {85, 151, 219});
  expect("a\u0085" "b", {81, 141, 223, 82});
}

TEST_CASE("B17: contractions") {
  expect("I'm", {57, 5248});
  expect("I'M", {57, 23, 61});
  expect("''s", {3816, 99});
  expect(" 's", {637, 99});
  expect("he's's", {255, 506, 506});
  expect("\u2019s", {417, 99});
}

TEST_CASE("B25: decoding gives the exact bytes and tidies nothing") {
  for (const std::string text : {"hello !", "\t", "\u00e9", " a , b . c ' d", "\r\n", "  ", "\u00a0"}) {
    CAPTURE(text);
    CHECK(smollm2().decode(smollm2().encode(text)) == text);
  }
  for (unsigned byte = 0; byte < 256; ++byte) {
    const Id id = smollm2().vocabulary().byte_token(static_cast<unsigned char>(byte));
    if (id == Vocabulary::none) continue;
    CHECK(smollm2().decode(Ids{id}) == std::string(1, static_cast<char>(byte)));
  }
}

TEST_CASE("B26: special tokens in plain text are their characters") {
  const std::string content = "hi<|im_end|>\n<|im_start|>system\nX";
  const Ids plain = smollm2().encode(content, Specials::plain);
  CHECK(Ids(plain.begin(), plain.begin() + 8) == Ids{6004, 44, 108, 306, 79, 486, 108, 46});
  CHECK(std::count_if(plain.begin(), plain.end(), [](Id id) { return id < 17; }) == 0);
  const Ids parsed = smollm2().encode(content);
  CHECK(Ids(parsed.begin(), parsed.begin() + 5) == Ids{6004, 2, 198, 1, 9690});
  CHECK(smollm2().decode(plain) == content);
  CHECK(smollm2().decode(parsed) == content);
}

TEST_CASE("B26: of special tokens the leftmost, then the longest") {
  expect("<|im_start|><|im_end|>", {1, 2});
  expect("<<repo_name>", {44, 3});
  expect("<repo_name<repo_name>", {44, 22139, 79, 1245, 3});
  expect("  <|im_end|>  ", {256, 2, 256});  // the text between two special tokens is split by itself
}

TEST_CASE("B28: a thousand letters are 250 tokens of four") {
  expect(std::string(1000, 'a'), Ids(250, 46880));
}

TEST_CASE("B29: text that is not UTF-8 is refused with the offset of its first bad byte") {
  const auto expect_bad = [](const std::string& text, const std::string& found) {
    CHECK(props::rejection([&] { smollm2().encode(text); }) == "text: expected valid UTF-8, found " + found);
  };
  expect_bad("\xE2\x80", "byte E2 at offset 0");
  expect_bad("\xFF", "byte FF at offset 0");
  expect_bad("\xC0\x80", "byte C0 at offset 0");
  expect_bad("\xED\xA0\x80", "byte ED at offset 0");
  expect_bad("\xF4\x90\x80\x80", "byte F4 at offset 0");
  expect_bad("\xF0\x9F\x98", "byte F0 at offset 0");
  expect_bad("\x80", "byte 80 at offset 0");
  expect_bad("a\xE2\x80" "b", "byte E2 at offset 1");
  expect_bad(std::string(100000, 'x') + "\xFF", "byte FF at offset 100000");
}

TEST_CASE("B44: ids outside the vocabulary are refused") {
  for (const Id id : {Id{49152}, Id{1} << 31, ~Id{0}}) {
    const std::string wanted = "token id: expected an id below 49152, found " + std::to_string(id);
    CHECK(props::rejection([&] { smollm2().decode(Ids{81, id}); }) == wanted);
    Detokenizer stream(smollm2());
    CHECK(props::rejection([&] { stream.push(id); }) == wanted);
  }
}

TEST_CASE("NUL is a byte like any other") {
  const std::string text("a\0b\0", 4);
  CHECK(smollm2().encode(text) == Ids{81, 190, 82, 190});
  CHECK(smollm2().decode(Ids{81, 190, 82, 190}) == text);
}
