// JSON (RFC 8259) read token by token out of memory: for long files whose strings are best left where they lie.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace lawful::io {

enum class JsonToken : std::uint8_t {
  object_begin, object_end, array_begin, array_end, key, string, number, boolean, null, end
};

/// Reads one JSON text from front to back. No recursion: the open containers are on a stack of limited depth.
class JsonReader {
 public:
  static constexpr std::size_t most_depth = 64;

  /// Reads `text`, which must outlive this object; errors call it `name`. BadInput if it is not valid UTF-8.
  JsonReader(std::string_view text, std::string_view name);

  /// The next token; `end`, again and again, once the text's one value is whole. BadInput, with the offset, if the text
  /// is not JSON or deeper than most_depth. Whether an object's keys differ is for the caller to check.
  JsonToken next();

  /// After `key` or `string`: its characters. A view that is good as long as this object: into the text, unless the
  /// string holds escapes. After `number` or `boolean`: the token as written.
  std::string_view text() const { return value_; }

  /// How many containers are open.
  std::size_t depth() const { return open_.size(); }

 private:
  enum class Expect : std::uint8_t { value, value_or_close, key, key_or_close, comma_or_close, end };

  [[noreturn]] void refuse(std::string_view expected) const;
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c);
  void skip_space();
  JsonToken open(JsonToken token, char close, Expect then);
  JsonToken close(JsonToken token);
  JsonToken after_value(JsonToken token);
  JsonToken read_value();
  JsonToken read_key();
  void read_string();
  void read_escaped_string(std::size_t begin);
  char32_t read_escape();
  std::uint32_t read_hex4();
  void read_number();
  void read_digits();
  JsonToken read_word(std::string_view word, JsonToken token);

  std::string_view text_, name_;
  std::size_t at_ = 0;
  Expect expect_ = Expect::value;
  std::vector<char> open_;  // the closing brackets that are due, the next one last
  std::string_view value_;
  std::deque<std::string> unescaped_;
};

}  // namespace lawful::io
