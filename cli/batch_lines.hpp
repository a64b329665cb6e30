// The lines of a batch's input that are a shard's.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lawful::cli {

/// The part of a batch that one process does: lines part, part + of, part + 2·of, …
struct Shard {
  std::size_t part = 1, of = 1;
  bool has(std::size_t line) const { return (line - 1) % of == part - 1; }
};

/// "3/8": the third of eight. Throws io::BadInput.
Shard shard_of(const std::string& text);

/// Goes over the lines of a text that are a shard's and not blank; numbers begin at 1 and count every line.
class BatchLines {
 public:
  struct Line {
    std::size_t number;
    std::string_view text;
  };
  BatchLines(std::string_view text, Shard shard) : rest_(text), shard_(shard) {}
  std::optional<Line> next();

 private:
  std::string_view rest_;
  Shard shard_;
  std::size_t number_ = 0;
};

}  // namespace lawful::cli
