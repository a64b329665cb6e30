// What the program and the documents say of the laws: read from the registry, for code that is no template.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "laws/law.hpp"

namespace lawful::laws {

/// A config that a law is proved for at compile time, over `points` points.
struct ProvedConfig {
  std::string_view name;
  std::size_t points;
};

struct LawFacts {
  About about;
  std::string_view family;
  std::string_view family_about;
  std::vector<std::string_view> variables;
  std::vector<ProvedConfig> configs;
  std::vector<Fault> mutants;  ///< each refuted at compile time
  /// About numbers: proved in three ways. Else about texts: searched on the running code by the tests alone.
  bool about_numbers;
};

/// Every registered law, in order. That this links means that those about numbers are proved over their configs and
/// that their mutants are refuted there: the table is made where that is asserted (proofs.cpp).
const std::vector<LawFacts>& law_facts();

}  // namespace lawful::laws
