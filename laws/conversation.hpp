// Laws of conversations: what is kept from turn to turn changes nothing.
//
// What an object `code` must offer: for the turns of a conversation, each the ids that its answer follows,
//   code.kept(turns)    the logits that each turn's answer begins with, from one cache that is kept
//   code.anew(turns)    the same, each turn computed from nothing
#pragma once
#include "laws/law.hpp"
#include "laws/tokenizer.hpp"

namespace lawful::laws::conversation {

struct turn_is_anew {
  static constexpr About about{
      .name = "turn_is_anew",
      .statement = "the logits of a turn in a kept cache are, bit for bit, those of the whole conversation computed anew",
      .why = "A long talk costs only what is new, and says nothing else for it: after an answer, one that was stopped, a "
             "retry, another system message or a reset. Rows beyond what two texts have in common must go, guesses that "
             "were wrong too.",
      .symbol = "KeptText",
      .file = "model/kept_text.hpp",
      .picture = "kept:  system user answer | user\n"
                 "       rows that are there | computed\n"
                 "anew:  system user answer   user        the same bits"};

  template <class Code, class Turns>
  static auto holds(const Code& code, const Turns& turns) {
    auto kept = code.kept(turns);
    return tokenizer::Equation<decltype(kept)>{kept, code.anew(turns)};
  }
};

/// Every one of them; the tests walk this list.
using text_laws = types<turn_is_anew>;

}  // namespace lawful::laws::conversation
