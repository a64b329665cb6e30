#include "laws/nearest.hpp"

#include <algorithm>
#include <numeric>

namespace lawful::laws {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i] == b[j] ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

std::vector<std::string_view> nearest(std::string_view name, std::vector<std::string_view> names, std::size_t count) {
  std::stable_sort(names.begin(), names.end(), [&](std::string_view a, std::string_view b) {
    return edit_distance(name, a) < edit_distance(name, b);
  });
  names.resize(std::min(count, names.size()));
  return names;
}

}  // namespace lawful::laws
