#include "laws/solver_module.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

namespace lawful::laws {

std::optional<SolverModule> SolverModule::load(const std::string& path, std::string& why_not) {
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const void* entry = module == nullptr ? nullptr : dlsym(module, "lawful_solver");
  if (entry != nullptr) return SolverModule(static_cast<const Entry*>(entry));
  const char* reason = dlerror();
  why_not = reason == nullptr ? path + " is not the solver's module" : reason;
  return std::nullopt;
}

// In a build folder the module lies in laws/, the program in a folder beside it or further down. Installed, the program
// lies in a folder of the prefix, the module in LAWFUL_SOLVER_FOLDER of the same prefix, wherever that was moved to.
std::optional<SolverModule> SolverModule::load(std::string& why_not) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (int up = 0; up < 4 && !folder.empty(); ++up, folder = folder.parent_path())
    for (const fs::path& path : {folder / "lawful_solver.so", folder / "laws" / "lawful_solver.so",
                                 folder / LAWFUL_SOLVER_FOLDER / "lawful_solver.so"})
      if (fs::exists(path, error)) return load(path.string(), why_not);
  why_not = "lawful_solver.so is not beside the program";
  return std::nullopt;
}

}  // namespace lawful::laws
