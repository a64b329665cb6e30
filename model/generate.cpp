#include "model/generate.hpp"

#include "io/bad_input.hpp"
#include "model/speculate.hpp"

#include <algorithm>
#include <chrono>

namespace lawful::model {

std::size_t default_chunk(const Config& config) { return config.ffn > 4096 ? 96 : 256; }

Logits prefill(Sequence& sequence, std::span<const std::uint32_t> ids, std::size_t chunk,
               const std::function<void(std::size_t)>& between) {
  if (ids.empty()) io::reject("prompt", "at least one token", "none");
  if (ids.size() > sequence.left())
    io::reject("prompt",
               fmt::format("at most {} tokens (the context has {} positions, {} are taken)", sequence.left(),
                           sequence.capacity(), sequence.length()),
               fmt::to_string(ids.size()));
  for (std::size_t done = 0;;) {
    const auto piece = ids.subspan(done, std::min(chunk, ids.size() - done));
    const bool last = done + piece.size() == ids.size();
    Logits logits = sequence.append(piece, last ? 1 : 0);
    done += piece.size();
    between(done);
    if (last) return logits;
  }
}

std::string_view name(Stop stop) {
  switch (stop) {
    case Stop::eos: return "eos";
    case Stop::length: return "length";
    case Stop::context: return "context";
    case Stop::stop: return "stop";
  }
  return "";
}

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// A generation under way: the ids so far, and the logits that the next one is chosen from.
class Generation {
 public:
  Generation(Sequence& sequence, std::span<const std::uint32_t> text, const Limits& limits,
             const std::function<void(std::uint32_t)>& seen)
      : sequence_(sequence), limits_(limits), seen_(seen), chooser_(limits.sampling, text) {
    if (limits_.guessing != Guessing::never)
      for (const auto id : text) lookup_.append(id);
  }

  Generated run(Logits logits) {
    if (limits_.tokens == 0) return std::move(out_);
    bool goes_on = take(logits, {}).goes_on;
    while (goes_on && room_left()) {
      const auto offered = guesses();
      std::vector<std::uint32_t> step{out_.ids.back()};
      step.insert(step.end(), offered.begin(), offered.begin() + static_cast<std::ptrdiff_t>(allowed(offered.size())));
      const double begun = now();
      logits = sequence_.append(step, step.size());
      const double seconds = now() - begun;
      const Taken taken = take(logits, std::span(step).subspan(1));
      const std::size_t wrong = step.size() - 1 - taken.right;
      if (wrong != 0) sequence_.truncate(sequence_.length() - wrong);
      if (step.size() > 1) account(step.size() - 1, taken.right, seconds);
      else if (offered.empty()) budget_.plain_step(seconds);
      else budget_.plain_step(seconds, out_.ids.back() == offered[0]);
      goes_on = taken.goes_on;
    }
    return std::move(out_);
  }

 private:
  struct Taken {
    std::size_t right;  ///< guesses that were chosen and have a place in the text
    bool goes_on;       ///< whether the text does
  };

  /// Takes the id that row 0 of the logits chooses; while it is the next guess, also the one that the next row chooses.
  Taken take(const Logits& logits, std::span<const std::uint32_t> guesses) {
    for (std::size_t row = 0;; ++row) {
      const std::uint32_t id = chooser_.choose(logits.row(row));
      if (limits_.chosen_from) limits_.chosen_from(logits.row(row), id);
      if (!add(id)) return {row, false};
      if (row == guesses.size() || id != guesses[row]) return {row, true};
    }
  }

  /// Adds an id that was chosen; false where the text ends with it.
  bool add(std::uint32_t id) {
    const auto ends = [&](Stop why) {
      out_.stop = why;
      return false;
    };
    if (std::ranges::find(limits_.eos, id) != limits_.eos.end()) return ends(Stop::eos);
    out_.ids.push_back(id);
    chooser_.append(id);
    if (limits_.guessing != Guessing::never) lookup_.append(id);
    seen_(id);
    if (limits_.stopped && limits_.stopped()) return ends(Stop::stop);
    return out_.ids.size() != limits_.tokens || ends(Stop::length);
  }

  bool room_left() {
    if (sequence_.left() != 0) return true;
    out_.stop = Stop::context;
    return false;
  }

  /// What may follow the id that comes next: as much as the cache and the limit leave room for.
  std::vector<std::uint32_t> guesses() const {
    const std::size_t room = std::min(sequence_.left(), limits_.tokens - out_.ids.size()) - 1;
    return lookup_.guess(std::min(room, Budget::most_guesses));
  }

  std::size_t allowed(std::size_t offered) const {
    return limits_.guessing == Guessing::always ? offered : budget_.allow(offered);
  }

  void account(std::size_t guesses, std::size_t right, double seconds) {
    out_.guessed += guesses;
    out_.accepted += right;
    budget_.guessed_step(guesses, right, seconds);
  }

  Sequence& sequence_;
  const Limits& limits_;
  const std::function<void(std::uint32_t)>& seen_;
  Chooser chooser_;
  Lookup lookup_;
  Budget budget_;
  Generated out_;
};

}  // namespace

Generated generate(Sequence& sequence, std::span<const std::uint32_t> text, Logits logits, const Limits& limits,
                   const std::function<void(std::uint32_t)>& seen) {
  return Generation(sequence, text, limits, seen).run(std::move(logits));
}

}  // namespace lawful::model
