// Laws on the code that runs. Every registered law must have a RunningCode: a law without one does not build.
#pragma once
#include <fmt/format.h>

#include <functional>
#include <string>

#include "laws/registry.hpp"
#include "props/property.hpp"

namespace lawful::props {

/// `check()` searches, with rapidcheck, on the production code that the law governs. Never defined for all.
template <class Law>
struct RunningCode;

/// A property of one type, whatever it checks: rapidcheck's templates are instantiated once.
inline void always(const std::string& sentence, std::function<void()> check, int cases = 200) {
  property(sentence, std::move(check), cases);
}

inline std::size_t number(std::size_t first, std::size_t last) { return *rc::gen::inRange(first, last + 1); }

/// A model of the tests with its types as small as the kernels allow: two KV heads, three query heads a group.
using small = model::tiny;

}  // namespace lawful::props
