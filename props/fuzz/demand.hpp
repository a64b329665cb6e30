// What a fuzzed input may do: be refused by a one-line io::BadInput. Anything else stops the fuzzer.
#pragma once
#include <cstdlib>
#include <cstring>

#include "io/bad_input.hpp"

namespace lawful::props {

/// A crash that the fuzzer reports, where a property of the result does not hold.
inline void demand(bool holds) {
  if (!holds) std::abort();
}

/// Calls `read`; an io::BadInput of one line is as good as a result.
template <class Read>
void refused_or_sound(Read&& read) {
  try {
    read();
  } catch (const io::BadInput& refusal) {
    demand(std::strchr(refusal.what(), '\n') == nullptr);
  }
}

}  // namespace lawful::props
