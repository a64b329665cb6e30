// A sequence that is used for one text after the other: what they have in common at the beginning is not computed again.
#pragma once
#include "model/generate.hpp"
#include "model/sequence.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace lawful::model {

/// Knows the ids that the sequence surely holds. A position's cache row follows from the ids up to it alone, so rows
/// that are kept have the bits of rows computed anew (the law turn_is_anew).
class KeptText {
 public:
  /// For a sequence that holds nothing, and is changed by nobody but this object and what generates from its logits.
  explicit KeptText(Sequence& sequence) : sequence_(sequence) {}

  /// Makes the sequence hold `ids`, computing what it does not hold yet in pieces of `chunk`, and at least the last;
  /// gives the logits of the last. `between(done)` is called as in model::prefill, with the count of ids held, and may
  /// throw to stop. io::BadInput where `ids` are none or more than the sequence's capacity; it then holds what it held.
  Logits prefill(std::span<const std::uint32_t> ids, std::size_t chunk, const std::function<void(std::size_t)>& between);

  /// The text goes on with `id`, which was generated and may not be in the sequence yet; the one before it is.
  void goes_on(std::uint32_t id);

  /// Ids that the last prefill found in the sequence.
  std::size_t kept() const { return kept_; }

 private:
  Sequence& sequence_;
  std::vector<std::uint32_t> held_;    // the sequence's first positions hold these
  std::optional<std::uint32_t> next_;  // generated, and not surely held
  std::size_t kept_ = 0;
};

}  // namespace lawful::model
