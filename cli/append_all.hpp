// Computing a whole prompt, for commands that want what comes out of every position.
#pragma once
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "io/bad_input.hpp"

#include <algorithm>

namespace lawful::cli {

/// Appends the prompt in pieces; each(logits, ids) sees every piece, with its logits where they are wanted.
template <class Each>
void append_all(Loaded& m, std::span<const std::uint32_t> ids, bool logits, const model::Watcher& watcher, Each each) {
  if (ids.size() > m.sequence->left())
    io::reject("prompt", fmt::format("at most {} tokens, the context's positions", m.sequence->left()),
               fmt::to_string(ids.size()));
  Progress progress("prompt");
  for (std::size_t done = 0; done < ids.size();) {
    const auto piece = ids.subspan(done, std::min(m.chunk, ids.size() - done));
    each(m.sequence->append(piece, logits ? piece.size() : 0, watcher), piece);
    done += piece.size();
    check_interrupt();
    progress.show(done, ids.size());
  }
}

}  // namespace lawful::cli
