#include "viewer/attention_weights.hpp"

#include "kernels/index.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lawful::viewer {

std::vector<std::uint16_t> in_wholes(std::span<const double> shares) {
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  std::vector<std::uint16_t> wholes;
  std::vector<double> remainders;
  std::size_t left = whole_weight;
  for (const double share : shares) {
    const double exact = share / sum * whole_weight;
    const auto whole = static_cast<std::uint16_t>(std::min(exact, static_cast<double>(left)));
    wholes.push_back(whole);
    remainders.push_back(exact - whole);
    left -= whole;
  }
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](auto a, auto b) { return remainders[a] > remainders[b]; });
  for (std::size_t i = 0; i < left; ++i) ++wholes[order[i % order.size()]];
  return wholes;
}

namespace {

/// e^(score − largest score) of one query over the keys of tokens 0 … t.
std::vector<double> exponentials(std::span<const float> query, std::span<const float> keys, std::size_t row,
                                 std::size_t count) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(query.size()));
  std::vector<double> out;
  for (std::size_t j = 0; j < count; ++j) {
    const auto key = keys.subspan(kernels::Index::row_begin(j, row), query.size());
    double dot = 0.0;
    for (std::size_t i = 0; i < query.size(); ++i) dot += static_cast<double>(query[i]) * static_cast<double>(key[i]);
    out.push_back(dot * scale);
  }
  const double most = *std::ranges::max_element(out);
  for (double& x : out) x = std::exp(x - most);
  return out;
}

}  // namespace

std::vector<std::uint16_t> attention_weights(const model::Config& config, std::span<const float> q,
                                             std::span<const float> k, std::size_t tokens) {
  using kernels::Index;
  std::vector<std::uint16_t> out;
  for (std::size_t head = 0; head < config.heads(); ++head)
    for (std::size_t t = 0; t < tokens; ++t) {
      const auto query = q.subspan(Index::row_begin(t, config.dim()) + head * config.head(), config.head());
      const auto keys = k.subspan(Index::kv_head(head, config.group) * config.head());
      const auto row = in_wholes(exponentials(query, keys, config.kvw(), Index::keys_read(t)));
      out.insert(out.end(), row.begin(), row.end());
    }
  return out;
}

}  // namespace lawful::viewer
