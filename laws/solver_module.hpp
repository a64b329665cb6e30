// The solver, loaded while the program runs. Z3 is a large library that a machine may lack; the program runs without
// it, and says of a law that could not be proved that it was not.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "laws/solver.hpp"

namespace lawful::laws {

/// The functions of solver.hpp in a module. Kept loaded to the program's end.
class SolverModule {
 public:
  /// Loads the module beside the running program; why it could not be is then in `why_not`.
  static std::optional<SolverModule> load(std::string& why_not);
  /// Loads the module `path`.
  static std::optional<SolverModule> load(const std::string& path, std::string& why_not);

  std::string name() const { return entry_->name(); }
  std::vector<Answer> ask(std::string_view law, const std::function<void(const Answer&)>& told = {}) const {
    return entry_->ask(law, told);
  }
  std::vector<Obligation> obligations(std::string_view law) const { return entry_->obligations(law); }

  /// What a module exports as `lawful_solver`.
  struct Entry {
    std::string (*name)();
    std::vector<Answer> (*ask)(std::string_view, const std::function<void(const Answer&)>&);
    std::vector<Obligation> (*obligations)(std::string_view);
  };

 private:
  explicit SolverModule(const Entry* entry) : entry_(entry) {}
  const Entry* entry_;
};

}  // namespace lawful::laws
