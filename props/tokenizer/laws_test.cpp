// The laws of laws/tokenizer.hpp on random texts and ids; and each of them refutes the faults it is there for.
#include "laws/tokenizer.hpp"

#include <tuple>

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

// ---- How a law is searched: a draw of its inputs.

template <class Law>
struct OnTexts {
  template <class Code>
  static auto sides(const Code& code) { return Law::holds(code, *props::texts()); }
};

struct OnMessages {
  template <class Code>
  static auto sides(const Code& code) {
    return law::control_free_content::holds(code, "<|im_start|>user\n", *props::texts(), "<|im_end|>\n");
  }
};

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

struct OnIds {
  template <class Code>
  static auto sides(const Code& code) { return law::stream_is_whole::holds(code, *id_lists()); }
};

// ---- Faults: each is the product with one thing wrong.

struct StallsAtNewlines : Product {
  static constexpr laws::Fault fault{"StallsAtNewlines", "a piece of no bytes at each newline"};
  std::size_t piece_end(std::string_view text, std::size_t begin) const {
    return text[begin] == '\n' ? begin : Product::piece_end(text, begin);
  }
};
struct CutsAtNul : Product {
  static constexpr laws::Fault fault{"CutsAtNul", "the text ends at its first NUL"};
  std::size_t piece_end(std::string_view text, std::size_t begin) const {
    return text[begin] == '\0' ? std::string_view::npos : Product::piece_end(text, begin);
  }
};
struct NumbersTogether : Product {
  static constexpr laws::Fault fault{"NumbersTogether", "the regex alone: numbers side by side are one piece"};
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
struct AsciiDigitsOnly : Product {
  static constexpr laws::Fault fault{"AsciiDigitsOnly", "U+00BD, U+0663 and their like taken for part of the piece before"};
  std::size_t piece_end(std::string_view text, std::size_t begin) const {
    const std::size_t end = Product::piece_end(text, begin);
    if (end == text.size() || static_cast<unsigned char>(text[end]) < 0x80) return end;
    const std::size_t next = Product::piece_end(text, end);
    return is_numeric(text.substr(end, next - end)) ? next : end;
  }
};
struct CutsEachCharacter : Product {
  static constexpr laws::Fault fault{"CutsEachCharacter", "every character is a place where encoding adds up"};
  std::size_t piece_end(std::string_view text, std::size_t begin) const {
    return begin + law::character_bytes(text[begin]);
  }
};
struct AddsBegin : Product {
  static constexpr laws::Fault fault{"AddsBegin", "a begin token before each text"};
  Ids encode_plain(std::string_view text) const {
    Ids ids = Product::encode_plain(text);
    ids.insert(ids.begin(), 1);
    return ids;
  }
};
struct AddsPrefixSpace : Product {
  static constexpr laws::Fault fault{"AddsPrefixSpace", "a space before each text"};
  Ids encode_plain(std::string_view text) const { return Product::encode_plain(std::string(1, ' ').append(text)); }
};
struct UnknownForTokenless : Product {
  static constexpr laws::Fault fault{"UnknownForTokenless", "id 0, a stop token, for a byte without a token"};
  Ids encode_plain(std::string_view text) const {
    Ids ids = Product::encode_plain(text);
    if (std::any_of(text.begin(), text.end(), [&](char c) { return !has_token(static_cast<unsigned char>(c)); })) {
      ids.push_back(0);
    }
    return ids;
  }
};
struct TidiesSpaces : Product {
  static constexpr laws::Fault fault{"TidiesSpaces", "no space before a full stop"};
  std::string decode(const Ids& ids) const {
    std::string text = Product::decode(ids);
    for (std::size_t at; (at = text.find(" .")) != std::string::npos;) text.erase(at, 1);
    return text;
  }
};
struct ParsesContent : Product {
  static constexpr laws::Fault fault{"ParsesContent", "special tokens of the content are parsed"};
  Ids encode_plain(std::string_view text) const { return Product::encode(text); }
};
struct DecodesEachAlone : Product {
  static constexpr laws::Fault fault{"DecodesEachAlone", "U+FFFD for each part of a character"};
  std::pair<std::string, std::size_t> stream(const Ids& ids) const {
    std::string text;
    for (const Id id : ids) text += io::replace_invalid_utf8(Product::decode({id}));
    return {text, 0};
  }
};
struct NeverFlushes : Product {
  static constexpr laws::Fault fault{"NeverFlushes", "what is held at the end is lost"};
  std::pair<std::string, std::size_t> stream(const Ids& ids) const {
    tokenizer::Detokenizer decoder(props::smollm2());
    std::string text;
    for (const Id id : ids) text += decoder.push(id);
    return {text, 0};
  }
};
struct StallsOnBadBytes : Product {
  static constexpr laws::Fault fault{"StallsOnBadBytes", "holds on until all that was held is valid"};
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

// ---- Each law with its search and the faults it must refute. A law of the list without an entry does not build.

template <class Law>
struct Search;
template <>
struct Search<law::split_total> : OnTexts<law::split_total> {
  using mutants = laws::types<StallsAtNewlines, CutsAtNul>;
};
template <>
struct Search<law::numerics_alone> : OnTexts<law::numerics_alone> {
  using mutants = laws::types<NumbersTogether, AsciiDigitsOnly>;
};
template <>
struct Search<law::additive_at_pieces> : OnTexts<law::additive_at_pieces> {
  using mutants = laws::types<AddsBegin, AddsPrefixSpace, CutsEachCharacter>;
};
template <>
struct Search<law::round_trip> : OnTexts<law::round_trip> {
  using mutants = laws::types<AddsPrefixSpace, UnknownForTokenless, TidiesSpaces>;
};
template <>
struct Search<law::control_free_content> : OnMessages {
  using mutants = laws::types<ParsesContent, UnknownForTokenless>;
};
template <>
struct Search<law::stream_is_whole> : OnIds {
  using mutants = laws::types<DecodesEachAlone, NeverFlushes, StallsOnBadBytes>;
};

template <class Law, class Code>
auto search() {
  return [] {
    const auto [left, right] = Search<Law>::sides(Code());
    RC_ASSERT(left == right);
  };
}

template <class Law, class Mutant>
void check_refuted() {
  CAPTURE(std::string(Mutant::fault.text));
  CHECK(refuted(std::string(Mutant::fault.name), search<Law, Mutant>()));
}

template <class List>
struct as_tuple;
template <class... Law>
struct as_tuple<laws::types<Law...>> {
  using type = std::tuple<Law...>;
};

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("a law of the tokenizer holds, and refutes its mutants", Law, text_law) {
  const std::string sentence = std::string(Law::about.name).append(": ").append(Law::about.statement);
  property(sentence, search<Law, Product>(), 2000);
  [&]<class... Mutant>(laws::types<Mutant...>) {
    static_assert(sizeof...(Mutant) > 0, "a law without mutants has no teeth");
    (check_refuted<Law, Mutant>(), ...);
  }(typename Search<Law>::mutants{});
  CHECK(props::file_text(std::string(Law::about.file)).find(Law::about.symbol) != std::string::npos);
}
TEST_CASE_TEMPLATE_APPLY(text_law, as_tuple<law::text_laws>::type);
