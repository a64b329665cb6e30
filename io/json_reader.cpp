#include "io/json_reader.hpp"

#include "io/bad_input.hpp"
#include "io/utf8.hpp"

namespace lawful::io {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(char32_t c, std::string& text) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    put(0xE0 | c >> 12);
    put(0x80 | (c >> 6 & 0x3F));
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
    put(0x80 | (c >> 6 & 0x3F));
  }
  put(0x80 | (c & 0x3F));
}

}  // namespace

JsonReader::JsonReader(std::string_view text, std::string_view name) : text_(text), name_(name) {
  require_utf8(text, name);
}

void JsonReader::refuse(std::string_view expected) const {
  reject(fmt::format("{}: JSON at byte {}", name_, at_), expected,
         at_ < text_.size() ? fmt::format("byte {:02X}", static_cast<unsigned>(static_cast<unsigned char>(text_[at_])))
                            : "the end");
}

inline bool JsonReader::take(char c) {
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

inline void JsonReader::skip_space() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
    ++at_;
  }
}

JsonToken JsonReader::next() {
  skip_space();
  const bool may_close = expect_ == Expect::value_or_close || expect_ == Expect::key_or_close ||
                         expect_ == Expect::comma_or_close;
  if (may_close && peek() == open_.back()) {
    ++at_;
    return close(open_.back() == '}' ? JsonToken::object_end : JsonToken::array_end);
  }
  if (expect_ == Expect::comma_or_close) {
    if (!take(',')) refuse(open_.back() == '}' ? "',' or '}'" : "',' or ']'");
    skip_space();
    expect_ = open_.back() == '}' ? Expect::key : Expect::value;
  }
  if (expect_ == Expect::key || expect_ == Expect::key_or_close) return read_key();
  if (expect_ != Expect::end) return read_value();
  if (at_ < text_.size()) refuse("the end");
  return JsonToken::end;
}

JsonToken JsonReader::open(JsonToken token, char close, Expect then) {
  if (open_.size() == most_depth) refuse(fmt::format("at most {} levels", most_depth));
  ++at_;
  open_.push_back(close);
  expect_ = then;
  return token;
}

JsonToken JsonReader::close(JsonToken token) {
  open_.pop_back();
  return after_value(token);
}

JsonToken JsonReader::after_value(JsonToken token) {
  expect_ = open_.empty() ? Expect::end : Expect::comma_or_close;
  return token;
}

JsonToken JsonReader::read_key() {
  if (peek() != '"') refuse("a key");
  read_string();
  skip_space();
  if (!take(':')) refuse("':'");
  expect_ = Expect::value;
  return JsonToken::key;
}

JsonToken JsonReader::read_value() {
  switch (peek()) {
    case '{': return open(JsonToken::object_begin, '}', Expect::key_or_close);
    case '[': return open(JsonToken::array_begin, ']', Expect::value_or_close);
    case 't': return read_word("true", JsonToken::boolean);
    case 'f': return read_word("false", JsonToken::boolean);
    case 'n': return read_word("null", JsonToken::null);
    case '"':
      read_string();
      return after_value(JsonToken::string);
    default:
      read_number();
      return after_value(JsonToken::number);
  }
}

JsonToken JsonReader::read_word(std::string_view word, JsonToken token) {
  if (text_.substr(at_, word.size()) != word) refuse("a value");
  value_ = word;
  at_ += word.size();
  return after_value(token);
}

void JsonReader::read_string() {
  const std::size_t begin = ++at_;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '"') {
      value_ = text_.substr(begin, at_++ - begin);
      return;
    }
    if (c == '\\') return read_escaped_string(begin);
    if (static_cast<unsigned char>(c) < 0x20) break;
  }
  refuse("a character of a string");
}

/// Goes on with a string that began at `begin`, from its first escape on.
void JsonReader::read_escaped_string(std::size_t begin) {
  std::string& whole = unescaped_.emplace_back(text_.substr(begin, at_ - begin));
  while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) >= 0x20) {
    const char c = text_[at_++];
    if (c == '"') {
      value_ = whole;
      return;
    }
    if (c == '\\') {
      append_utf8(read_escape(), whole);
    } else {
      whole += c;
    }
  }
  refuse("a character of a string");
}

/// The character of an escape, behind its backslash.
char32_t JsonReader::read_escape() {
  switch (peek()) {
    case '"': case '\\': case '/': return static_cast<char32_t>(text_[at_++]);
    case 'b': ++at_; return U'\b';
    case 'f': ++at_; return U'\f';
    case 'n': ++at_; return U'\n';
    case 'r': ++at_; return U'\r';
    case 't': ++at_; return U'\t';
    case 'u': break;
    default: refuse("an escape");
  }
  ++at_;
  const std::uint32_t first = read_hex4();
  if (first < 0xD800 || first >= 0xE000) return first;
  if (first >= 0xDC00 || !take('\\') || !take('u')) refuse("a pair of surrogates");
  const std::uint32_t second = read_hex4();
  if (second < 0xDC00 || second >= 0xE000) refuse("a pair of surrogates");
  return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
}

std::uint32_t JsonReader::read_hex4() {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = peek();
    const int digit = is_digit(c)            ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) refuse("a hexadecimal digit");
    value = value * 16 + static_cast<std::uint32_t>(digit);
  }
  return value;
}

void JsonReader::read_number() {
  const std::size_t begin = at_;
  take('-');
  if (!is_digit(peek())) refuse("a value");
  if (!take('0')) read_digits();
  if (take('.')) read_digits();
  if (take('e') || take('E')) {
    if (!take('+')) take('-');
    read_digits();
  }
  value_ = text_.substr(begin, at_ - begin);
}

void JsonReader::read_digits() {
  if (!is_digit(peek())) refuse("a digit");
  while (is_digit(peek())) ++at_;
}

}  // namespace lawful::io
