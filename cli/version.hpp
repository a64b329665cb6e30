// What this program is.
#pragma once
#include <string>

namespace lawful::cli {

/// Lines: version and commit; how it was built; the instruction sets that it can use here; the default model.
std::string version();

}  // namespace lawful::cli
