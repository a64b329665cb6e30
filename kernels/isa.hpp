// The instruction set that the kernels run on. All give the same bits.
#pragma once
#include <string_view>
#include <vector>

namespace lawful::kernels {

/// Names of the instruction sets that this program was built for and this machine has, best first.
std::vector<std::string_view> instruction_sets();

/// The one in use: the best, unless another was chosen.
std::string_view instruction_set();

/// Uses the named one from now on; false, and no change, if it is not among instruction_sets().
bool use_instruction_set(std::string_view name);

}  // namespace lawful::kernels
