// The laws of laws/tokenizer.hpp on random texts and ids; and each of them refutes the faults it is there for.
#include "laws/tokenizer.hpp"

#include "io/utf8.hpp"
#include "props/property.hpp"
#include "props/tokenizer/product.hpp"
#include "props/tokenizer/texts.hpp"

namespace {

using namespace lawful;
using props::Product;
using props::property;
using props::refuted;
namespace law = laws::tokenizer;
using tokenizer::Id;

/// A search over texts of one law on one code.
template <class Law, class Code>
auto on_texts(const Code& code) {
  return [&code] {
    const auto text = *props::texts();
    const auto sides = Law::holds(code, text);
    RC_ASSERT(sides.left == sides.right);
  };
}

template <class Code>
auto on_messages(const Code& code) {
  return [&code] {
    const auto sides = law::control_free_content::holds(code, "<|im_start|>user\n", *props::texts(), "<|im_end|>\n");
    RC_ASSERT(sides.left == sides.right);
  };
}

/// Ids of which many are parts of characters.
rc::Gen<std::vector<Id>> id_lists() {
  static const std::vector<Id> parts = [] {
    std::vector<Id> some{0, 2, 28120, 10813, 116, 243, 23274, 115, 40993, 179, 120, 248};
    for (unsigned byte = 0x80; byte < 0x100; ++byte) {
      const Id id = props::smollm2().vocabulary().byte_token(static_cast<unsigned char>(byte));
      if (id != tokenizer::Vocabulary::none) some.push_back(id);
    }
    return some;
  }();
  return rc::gen::container<std::vector<Id>>(
      rc::gen::oneOf(rc::gen::elementOf(parts), rc::gen::inRange<Id>(0, 49152)));
}

template <class Code>
auto on_ids(const Code& code) {
  return [&code] {
    const auto sides = law::stream_is_whole::holds(code, *id_lists());
    RC_ASSERT(sides.left == sides.right);
  };
}

template <class Law>
std::string sentence() {
  return std::string(Law::name).append(": ").append(Law::statement);
}

// ---- Faults: each is the product with one thing wrong.

struct StallsAtNewlines : Product {
  std::size_t piece_end(std::string_view text, std::size_t begin) const {
    return text[begin] == '\n' ? begin : Product::piece_end(text, begin);
  }
};
struct CutsAtNul : Product {  // a text that is taken to end at its first NUL
  std::size_t piece_end(std::string_view text, std::size_t begin) const {
    return text[begin] == '\0' ? std::string_view::npos : Product::piece_end(text, begin);
  }
};
struct NumbersTogether : Product {  // the regex alone: " ?\p{N}+"
  std::size_t piece_end(std::string_view text, std::size_t begin) const {
    std::size_t end = Product::piece_end(text, begin);
    while (is_numeric(text.substr(begin, end - begin)) && end < text.size()) {
      const std::size_t next = Product::piece_end(text, end);
      if (!is_numeric(text.substr(end, next - end))) break;
      end = next;
    }
    return end;
  }
};
struct AsciiDigitsOnly : Product {  // U+00BD, U+0663 and their like taken for letters of the word before
  std::size_t piece_end(std::string_view text, std::size_t begin) const {
    const std::size_t end = Product::piece_end(text, begin);
    if (end == text.size() || static_cast<unsigned char>(text[end]) < 0x80) return end;
    const std::size_t next = Product::piece_end(text, end);
    return is_numeric(text.substr(end, next - end)) ? next : end;
  }
};
struct CutsEachCharacter : Product {  // every character a place where encoding adds up
  std::size_t piece_end(std::string_view text, std::size_t begin) const {
    return begin + law::character_bytes(text[begin]);
  }
};
struct AddsBegin : Product {
  Ids encode_plain(std::string_view text) const {
    Ids ids = Product::encode_plain(text);
    ids.insert(ids.begin(), 1);
    return ids;
  }
};
struct AddsPrefixSpace : Product {
  Ids encode_plain(std::string_view text) const { return Product::encode_plain(std::string(1, ' ').append(text)); }
};
struct UnknownForTokenless : Product {  // what smollm2.go does: id 0, a stop token, for a byte without a token
  Ids encode_plain(std::string_view text) const {
    Ids ids = Product::encode_plain(text);
    if (std::any_of(text.begin(), text.end(), [&](char c) { return !has_token(static_cast<unsigned char>(c)); })) {
      ids.push_back(0);
    }
    return ids;
  }
};
struct TidiesSpaces : Product {  // "clean up": no space before punctuation
  std::string decode(const Ids& ids) const {
    std::string text = Product::decode(ids);
    for (std::size_t at; (at = text.find(" .")) != std::string::npos;) text.erase(at, 1);
    return text;
  }
};
struct ParsesContent : Product {
  Ids encode_plain(std::string_view text) const { return Product::encode(text); }
};
struct DecodesEachAlone : Product {  // U+FFFD for each part of a character
  std::pair<std::string, std::size_t> stream(const Ids& ids) const {
    std::string text;
    for (const Id id : ids) text += io::replace_invalid_utf8(Product::decode({id}));
    return {text, 0};
  }
};
struct NeverFlushes : Product {
  std::pair<std::string, std::size_t> stream(const Ids& ids) const {
    tokenizer::Detokenizer decoder(props::smollm2());
    std::string text;
    for (const Id id : ids) text += decoder.push(id);
    return {text, 0};
  }
};
struct StallsOnBadBytes : Product {  // holds on until all that was held is valid
  std::pair<std::string, std::size_t> stream(const Ids& ids) const {
    std::string text, held;
    std::size_t most = 0;
    for (const Id id : ids) {
      held += Product::decode({id});
      if (io::valid_utf8_prefix(held) == held.size()) {
        text += held;
        held.clear();
      }
      most = std::max(most, held.size());
    }
    return {text + held, most};
  }
};

}  // namespace

TEST_CASE("split_total") {
  property(sentence<law::split_total>(), on_texts<law::split_total>(Product()), 2000);
  CHECK(refuted("stalls at newlines", on_texts<law::split_total>(StallsAtNewlines())));
  CHECK(refuted("cuts at NUL", on_texts<law::split_total>(CutsAtNul())));
}

TEST_CASE("numerics_alone") {
  property(sentence<law::numerics_alone>(), on_texts<law::numerics_alone>(Product()), 2000);
  CHECK(refuted("numbers together", on_texts<law::numerics_alone>(NumbersTogether())));
  CHECK(refuted("ASCII digits only", on_texts<law::numerics_alone>(AsciiDigitsOnly())));
}

TEST_CASE("additive_at_pieces") {
  property(sentence<law::additive_at_pieces>(), on_texts<law::additive_at_pieces>(Product()), 1000);
  CHECK(refuted("adds a begin token", on_texts<law::additive_at_pieces>(AddsBegin())));
  CHECK(refuted("adds a prefix space", on_texts<law::additive_at_pieces>(AddsPrefixSpace())));
  CHECK(refuted("cuts each character", on_texts<law::additive_at_pieces>(CutsEachCharacter())));
}

TEST_CASE("round_trip") {
  property(sentence<law::round_trip>(), on_texts<law::round_trip>(Product()), 2000);
  CHECK(refuted("adds a prefix space", on_texts<law::round_trip>(AddsPrefixSpace())));
  CHECK(refuted("an unknown token for bytes without one", on_texts<law::round_trip>(UnknownForTokenless())));
  CHECK(refuted("tidies spaces", on_texts<law::round_trip>(TidiesSpaces())));
}

TEST_CASE("control_free_content") {
  property(sentence<law::control_free_content>(), on_messages(Product()), 1000);
  CHECK(refuted("parses content", on_messages(ParsesContent())));
  CHECK(refuted("an unknown token for bytes without one", on_messages(UnknownForTokenless())));
}

TEST_CASE("stream_is_whole") {
  property(sentence<law::stream_is_whole>(), on_ids(Product()), 2000);
  CHECK(refuted("decodes each id alone", on_ids(DecodesEachAlone())));
  CHECK(refuted("never flushes", on_ids(NeverFlushes())));
  CHECK(refuted("stalls on bad bytes", on_ids(StallsOnBadBytes())));
}
