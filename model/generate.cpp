#include "model/generate.hpp"

#include "io/bad_input.hpp"
#include "model/speculate.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>

namespace lawful::model {

std::uint32_t argmax(std::span<const float> logits) {
  // Two plain passes, since both become vector code: over bits for what is not finite and for the largest (as signed
  // integers in the order of the floats), then for the first that equals it.
  constexpr std::uint32_t exponent = 0x7f800000;
  std::int32_t largest = std::numeric_limits<std::int32_t>::min();
  std::uint32_t unusable = 0;
  for (const float x : logits) {
    const auto bits = std::bit_cast<std::int32_t>(x);
    const std::int32_t ordered = bits ^ ((bits >> 31) & 0x7fffffff);
    largest = ordered > largest ? ordered : largest;
    unusable |= (std::bit_cast<std::uint32_t>(x) & exponent) == exponent ? 1U : 0U;
  }
  const float most = std::bit_cast<float>(largest ^ ((largest >> 31) & 0x7fffffff));
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (unusable != 0 && !std::isfinite(logits[i]))
      throw io::Failure(fmt::format("logits: id {} has the value {}; the weights or the activations are not finite", i,
                                    logits[i]));
    if (unusable == 0 && logits[i] == most) return static_cast<std::uint32_t>(i);
  }
  throw io::Failure("logits: none");
}

std::size_t default_chunk(const Config& config) { return config.ffn > 4096 ? 128 : 256; }

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
      : sequence_(sequence), limits_(limits), seen_(seen) {
    if (limits_.guessing != Guessing::never)
      for (const auto id : text) lookup_.append(id);
  }

  Generated run(Logits logits) {
    if (limits_.tokens == 0) return std::move(out_);
    std::size_t right = 0;  // guesses that the last step showed to be right; row i of its logits follows guess i − 1
    while (take(logits, right)) {
      std::vector<std::uint32_t> step{out_.ids.back()};
      add_guesses(step);
      const double begun = now();
      logits = sequence_.append(step, step.size());
      right = verify(step, logits);
      if (right + 1 < step.size()) sequence_.truncate(sequence_.length() - (step.size() - 1 - right));
      account(step.size() - 1, right, now() - begun);
    }
    return std::move(out_);
  }

 private:
  /// Takes the ids that rows 0 … right of the logits choose; false where the text ends with one of them.
  bool take(const Logits& logits, std::size_t right) {
    for (std::size_t row = 0; row <= right; ++row) {
      const std::uint32_t id = argmax(logits.row(row));
      if (limits_.chosen_from) limits_.chosen_from(logits.row(row));
      if (std::ranges::find(limits_.eos, id) != limits_.eos.end()) {
        out_.stop = Stop::eos;
        return false;
      }
      out_.ids.push_back(id);
      if (limits_.guessing != Guessing::never) lookup_.append(id);
      seen_(id);
      if (out_.ids.size() == limits_.tokens) return false;
    }
    if (sequence_.left() != 0) return true;
    out_.stop = Stop::context;
    return false;
  }

  /// Adds guesses to a step of one token: as many as the cache, the limit and the budget leave room for.
  void add_guesses(std::vector<std::uint32_t>& step) const {
    if (limits_.guessing == Guessing::never) return;
    const std::size_t room = std::min(sequence_.left(), limits_.tokens - out_.ids.size()) - 1;
    const auto guess = lookup_.guess(std::min(room, Budget::most_guesses));
    const std::size_t count = limits_.guessing == Guessing::always ? guess.size() : budget_.allow(guess.size());
    step.insert(step.end(), guess.begin(), guess.begin() + static_cast<std::ptrdiff_t>(count));
  }

  /// How many of a step's guesses are what the logits before them choose.
  static std::size_t verify(std::span<const std::uint32_t> step, const Logits& logits) {
    std::size_t right = 0;
    while (right + 1 < step.size() && argmax(logits.row(right)) == step[right + 1]) ++right;
    return right;
  }

  void account(std::size_t guesses, std::size_t right, double seconds) {
    out_.guessed += guesses;
    out_.accepted += right;
    guesses == 0 ? budget_.plain_step(seconds) : budget_.guessed_step(guesses, right, seconds);
  }

  Sequence& sequence_;
  const Limits& limits_;
  const std::function<void(std::uint32_t)>& seen_;
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
