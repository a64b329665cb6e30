// How the next id is chosen from logits. docs/sampling.md defines every step; the same settings, text and logits choose
// the same id on every machine.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace lawful::model {

struct Sampling {
  double temperature = 0.0;         ///< 0: the largest logit is chosen; else logits are divided by it
  std::uint64_t top_k = 0;          ///< only the k most probable ids; 0: all
  double top_p = 1.0;               ///< only the most probable ids that together reach this probability
  double min_p = 0.0;               ///< only ids at least this fraction as probable as the most probable one
  double repetition_penalty = 1.0;  ///< ids that the text has: positive logits divided by it, others multiplied
  std::uint64_t seed = 0;           ///< of the draws

  friend bool operator==(const Sampling&, const Sampling&) = default;
};

/// Throws io::BadInput, naming the setting ("top_p", or "--top-p" where they came as options), unless temperature is a
/// number from 0 on, top_p in (0, 1], min_p in [0, 1], repetition_penalty in [0.01, 100].
enum class Named { as_fields, as_options };
void require_sound(const Sampling& sampling, Named named = Named::as_fields);

/// The id of the largest logit; of equal ones the lowest. Throws io::Failure naming the id where a logit is NaN or
/// infinite: such logits are never sampled from.
std::uint32_t argmax(std::span<const float> logits);

/// An id that may be drawn.
struct Candidate {
  std::uint32_t id;
  double weight;  ///< its probability over that of the most probable id
};

/// Chooses the ids of one text. A choice follows from the settings, the ids before it and the logits alone: not from
/// how often choose() was called, nor from other texts. Not for several threads at once.
class Chooser {
 public:
  /// For a text that begins with `text`. io::BadInput where the settings are not sound.
  explicit Chooser(const Sampling& sampling, std::span<const std::uint32_t> text = {});

  /// The id that follows the text so far. Throws io::Failure as argmax.
  std::uint32_t choose(std::span<const float> logits);

  /// The text is one id longer.
  void append(std::uint32_t id);

  /// The ids that the filters keep, the most probable first, of equal ones the lowest id first; at least one. For a
  /// temperature above 0. The view is good until the next call.
  std::span<const Candidate> keep(std::span<const float> logits);

 private:
  struct Ranked {
    std::uint32_t key, id;
  };
  std::span<const float> scores(std::span<const float> logits);
  void rank(std::span<const float> scores);

  Sampling sampling_;
  std::uint64_t position_ = 0;                // of the id to choose
  std::unordered_set<std::uint32_t> seen_;    // filled where there is a penalty
  std::vector<float> scores_;
  std::vector<Ranked> ranked_, other_;
  std::vector<Candidate> candidates_;
};

}  // namespace lawful::model
