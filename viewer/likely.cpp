#include "viewer/likely.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lawful::viewer {
namespace {

/// Of e^(x − largest) over all logits: the largest logit, and the sum.
struct Partition {
  double largest, sum;
  double share(float logit) const { return std::exp(static_cast<double>(logit) - largest) / sum; }
};

Partition partition(std::span<const float> logits) {
  Partition p{static_cast<double>(*std::ranges::max_element(logits)), 0.0};
  for (const float x : logits) p.sum += std::exp(static_cast<double>(x) - p.largest);
  return p;
}

}  // namespace

std::vector<Likely> likeliest(std::span<const float> logits, std::size_t count) {
  std::vector<std::uint32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0U);
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(count, ids.size()));
  std::partial_sort(ids.begin(), end, ids.end(), [&](std::uint32_t a, std::uint32_t b) {
    return logits[a] > logits[b] || (logits[a] == logits[b] && a < b);
  });
  const Partition all = partition(logits);
  std::vector<Likely> out;
  for (auto id = ids.begin(); id != end; ++id) out.push_back({*id, all.share(logits[*id])});
  return out;
}

double probability(std::span<const float> logits, std::uint32_t id) { return partition(logits).share(logits[id]); }

}  // namespace lawful::viewer
