// Guessing what comes next from what the text has said before (prompt look-up decoding; Saxena 2023), so that several
// tokens are computed for the price of little more than one. A token's logits do not depend on what is computed beside
// it, so the text stays the same to the last bit.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace lawful::model {

/// Finds where the last ids of a text stood before, and what followed there.
class Lookup {
 public:
  void append(std::uint32_t id);
  /// `most` ids as they followed the last earlier occurrence of the text's last `gram` ids, going round where that is
  /// less far back; none if there was no such occurrence.
  std::vector<std::uint32_t> guess(std::size_t most) const;

  static constexpr std::size_t gram = 3;

 private:
  std::vector<std::uint32_t> ids_;
  std::unordered_map<std::uint64_t, std::size_t> after_;  // of a gram's hash: the position after its last occurrence
  std::size_t match_ = 0;                                 // the position after the earlier occurrence, 0: none
};

/// Decides whether guessing pays. Guesses that are offered are watched at no cost until enough were right; what wrong
/// ones cost, less what right ones have gained, is at most 2 % of the time that decoding has taken so far, or one step.
class Budget {
 public:
  /// How many guesses to verify now, at most `offered`.
  std::size_t allow(std::size_t offered) const;
  /// A step without guesses took `seconds`; whether the first guess, if one was offered, would have been right.
  void plain_step(double seconds, std::optional<bool> right = std::nullopt);
  /// A step with `guesses`, of which `accepted` were right, took `seconds`.
  void guessed_step(std::size_t guesses, std::size_t accepted, double seconds);

  static constexpr std::size_t most_guesses = 3;

 private:
  double total_ = 0.0;      // seconds so far
  double plain_ = 0.0;      // of a plain step, averaged
  double balance_ = 0.0;    // seconds that guessing has gained, or lost where negative
  double per_guess_ = 0.5;  // plain steps that one more guess costs, averaged
  double right_ = 0.5;      // guesses that were right, averaged
};

}  // namespace lawful::model
