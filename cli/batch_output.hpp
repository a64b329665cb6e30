// The output of a batch: records in the order of the input once all are there; until then a journal that a killed run
// goes on with.
#pragma once
#include "io/journal.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lawful::cli {

/// OUT.run says what the output is made of, OUT.journal has the records so far, and OUT appears when it is whole.
class BatchOutput {
 public:
  /// `made_of` is one JSON object: input, model and options. Throws io::BadInput where `path` has a run of another, or is
  /// a file that no run made; io::Failure where another process is at it.
  BatchOutput(const std::string& path, const std::string& made_of);

  /// Whether the output is there already.
  bool is_whole() const { return !journal_; }
  /// Whether a line of the input has its record.
  bool has(std::size_t line) const { return line < has_.size() && has_[line]; }
  std::size_t records() const { return records_.size(); }

  /// Adds the record of a line: `fields` is the inside of a JSON object, what follows "line":N in it.
  void add(std::size_t line, std::string_view fields);
  /// Puts the records in the order of their lines. No line has two.
  void finish();

 private:
  struct Record {
    std::size_t line;
    io::Journal::Place place;
  };
  void keep(Record record);
  std::string path_;
  std::optional<io::Journal> journal_;
  std::vector<Record> records_;
  std::vector<bool> has_;
  double synced_ = 0.0;
};

}  // namespace lawful::cli
