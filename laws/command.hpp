// What `lawful laws` does, apart from reading its arguments.
#pragma once
#include <iosfwd>
#include <optional>
#include <string>

namespace lawful::laws {

struct Options {
  std::string name{};                 ///< a law; all where it is empty
  bool prove = false;                 ///< run the search and the solver now
  bool json = false;
  bool markdown = false;              ///< docs/laws.md
  std::string smtlib{};               ///< a folder to write the proof obligations to
  std::optional<std::string> solver{};  ///< the solver's module; the one beside the program where there is none
};

/// Results to `out`, progress to `progress`. 0, or 1 where a proof did not hold or could not be made. Throws
/// io::BadInput for an unknown law (naming the nearest), io::Failure where a file cannot be written.
int run(const Options& options, std::ostream& out, std::ostream& progress);

}  // namespace lawful::laws
