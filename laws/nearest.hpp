// Names near to one that is not known.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lawful::laws {

/// Letters to change, add, leave out or exchange with their neighbour to get from one name to the other.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The `count` names nearest to `name`, nearest first.
std::vector<std::string_view> nearest(std::string_view name, std::vector<std::string_view> names, std::size_t count);

}  // namespace lawful::laws
