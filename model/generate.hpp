// Prefill in pieces, and generation.
#pragma once
#include "model/sampling.hpp"
#include "model/sequence.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace lawful::model {

/// Positions that a prefill computes together where the caller does not say: enough to use the weights well, few
/// enough that their activations stay small beside the weights.
std::size_t default_chunk(const Config& config);

/// Appends `ids` in pieces of `chunk`; gives the logits of the last. `between(done)` is called after each piece with
/// the count of ids done; it may throw to stop.
Logits prefill(Sequence& sequence, std::span<const std::uint32_t> ids, std::size_t chunk,
               const std::function<void(std::size_t)>& between);

enum class Stop { eos, length, context, stop };
std::string_view name(Stop stop);

/// When guesses from the text so far are verified (speculate.hpp). The ids are the same in any case.
enum class Guessing { never, where_it_pays, always };

struct Limits {
  std::size_t tokens;               ///< at most this many
  std::vector<std::uint32_t> eos;   ///< ids that end the text; empty: none does
  Guessing guessing = Guessing::never;
  /// Sees every row of logits and the id chosen from it, in order, an ending id too.
  std::function<void(std::span<const float>, std::uint32_t)> chosen_from = {};
  Sampling sampling = {};                ///< as it is: the largest logit
  std::function<bool()> stopped = {};    ///< asked after each new id: true ends the text with Stop::stop
};

struct Generated {
  std::vector<std::uint32_t> ids;  ///< without the one that ended the text
  Stop stop = Stop::length;
  std::size_t guessed = 0, accepted = 0;  ///< guesses that were verified, and those that were right
};

/// Continues `sequence`, which holds `text` and whose last logits are `logits`. `seen(id)` is called for each new id, in
/// order. The last id is given out without being appended to the sequence. seen() may throw to stop: then the sequence
/// holds the text, the ids before the last one seen, and perhaps guesses behind them.
Generated generate(Sequence& sequence, std::span<const std::uint32_t> text, Logits logits, const Limits& limits,
                   const std::function<void(std::uint32_t)>& seen);

}  // namespace lawful::model
