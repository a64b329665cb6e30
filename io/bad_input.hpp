// The one error for what comes from outside: files, prompts, ids, options.
#pragma once
#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace lawful::io {

/// Input that cannot be used. what() is one line: the thing, what was expected, what was found. The program exits 2.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An output or the machine failed (disk full, no memory, no permission to write). The program exits 1.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws BadInput "thing: expected …, found …".
[[noreturn]] inline void reject(std::string_view thing, std::string_view expected, std::string_view found) {
  throw BadInput(fmt::format("{}: expected {}, found {}", thing, expected, found));
}

}  // namespace lawful::io
