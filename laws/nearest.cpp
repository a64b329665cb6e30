#include "laws/nearest.hpp"

#include <algorithm>
#include <numeric>

namespace lawful::laws {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment: rows of the table for a's first i − 2, i − 1 and i letters.
  std::vector<std::size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U), above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
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
