#include "cli/version.hpp"

#include "cli/commit.hpp"
#include "cli/options.hpp"
#include "io/printable.hpp"
#include "kernels/isa.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace lawful::cli {

std::string version() {
  const std::string path = default_model_path();
  return fmt::format("lawful {} ({})\n"
                     "build: {}\n"
                     "instruction sets here: {}\n"
                     "default model: SmolLM2-135M-Instruct, Q4_1: {} ({})\n",
                     LAWFUL_VERSION, commit, LAWFUL_BUILD, fmt::join(kernels::instruction_sets(), ", "),
                     io::printable(path, 4096), ::access(path.c_str(), R_OK) == 0 ? "there" : "not there; ./lawful fetches it");
}

}  // namespace lawful::cli
