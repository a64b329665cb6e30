#include "cli/batch_output.hpp"

#include "cli/clock.hpp"
#include "io/atomic_file.hpp"
#include "io/bad_input.hpp"
#include "io/json.hpp"
#include "io/mapped_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <charconv>

namespace lawful::cli {
namespace {

constexpr double seconds_between_syncs = 5.0;

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

/// Throws io::BadInput naming the first thing in which the run that `path` tells of is another.
void require_same(const std::string& path, const std::string& made_of) {
  const io::MappedFile file(path, io::Access::copied);
  const auto found = io::parse_json({reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()}, path);
  const auto wanted = nlohmann::json::parse(made_of);
  if (!found.is_object()) io::reject(path, "a JSON object", found.type_name());
  for (const auto& [key, value] : wanted.items()) {
    const auto there = found.find(key);
    if (there != found.end() && *there == value) continue;
    io::reject(path, fmt::format("a run of the same {} ({}); remove it and the output to begin anew", key, value.dump()),
               there == found.end() ? "none" : there->dump());
  }
}

/// The line that a record is of; 0 where it is no record.
std::size_t line_of(std::string_view record) {
  constexpr std::string_view begin = "{\"line\":";
  std::size_t line = 0;
  if (!record.starts_with(begin) || !record.ends_with('}')) return 0;
  record.remove_prefix(begin.size());
  const auto end = std::from_chars(record.data(), record.data() + record.size(), line);
  return end.ec == std::errc() && *end.ptr == ',' ? line : 0;
}

}  // namespace

BatchOutput::BatchOutput(const std::string& path, const std::string& made_of) : path_(path) {
  const std::string run = path + ".run", journal = path + ".journal";
  if (exists(run)) require_same(run, made_of);
  else if (exists(path) || exists(journal))
    io::reject(exists(path) ? path : journal, "no such file yet, or one that lawful batch made and that has " + run, "a file");
  if (exists(path)) {
    ::unlink(journal.c_str());  // of a run that was killed when all was done
    return;
  }
  journal_.emplace(journal);
  if (!exists(run)) {
    io::AtomicFile file(run);
    file.write(made_of + "\n");
    file.commit();
  }
  require_same(run, made_of);  // of two that began together, one has written it
  journal_->each([&](std::string_view record, io::Journal::Place place) {
    const std::size_t line = line_of(record);
    if (line == 0 || has(line))
      io::reject(journal, "one record of each line", fmt::format("another thing at byte {}", place.begin));
    keep({line, place});
  });
}

void BatchOutput::add(std::size_t line, std::string_view fields) {
  keep({line, journal_->append(fmt::format("{{\"line\":{},{}}}", line, fields))});
  if (seconds() - synced_ < seconds_between_syncs) return;
  journal_->sync();
  synced_ = seconds();
}

void BatchOutput::keep(Record record) {
  if (has_.size() <= record.line) has_.resize(2 * record.line + 1);
  has_[record.line] = true;
  records_.push_back(record);
}

void BatchOutput::finish() {
  std::ranges::sort(records_, {}, &Record::line);
  std::vector<io::Journal::Place> places;
  for (const Record& record : records_) places.push_back(record.place);
  journal_->finish(places, path_);
}

}  // namespace lawful::cli
