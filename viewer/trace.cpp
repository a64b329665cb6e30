#include "viewer/trace.hpp"

#include "viewer/attention_weights.hpp"

#include <cmath>

namespace lawful::viewer {
namespace {

constexpr std::size_t shown_next = 10, shown_by_lens = 5;

/// The Euclidean length of each row.
template <class Number>
std::vector<double> lengths(std::span<const Number> rows, std::size_t width) {
  std::vector<double> out;
  for (; !rows.empty(); rows = rows.subspan(width)) {
    double squares = 0.0;
    for (const Number x : rows.first(width)) squares += static_cast<double>(x) * static_cast<double>(x);
    out.push_back(std::sqrt(squares));
  }
  return out;
}

}  // namespace

void Recorder::watch(std::size_t layer, std::string_view name, std::span<const float> values) {
  Layer& at = layers_[layer];
  std::vector<float>* to = name == "qr" ? &at.q : name == "kr" ? &at.k : name == "a" ? &at.after_attention
                           : name == "y" ? &at.after_mlp : nullptr;
  if (to != nullptr) to->insert(to->end(), values.begin(), values.end());
}

void Recorder::add(const model::Logits& logits, std::span<const std::uint32_t> ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!ids_.empty()) given_.push_back(probability(last_logits_, ids[i]));
    const auto row = logits.row(i);
    next_.push_back(likeliest(row, shown_next));
    ids_.push_back(ids[i]);
    last_logits_.assign(row.begin(), row.end());
  }
}

std::vector<std::vector<Likely>> Recorder::lens(std::span<const double> stream) const {
  const auto logits = model_.read_out(stream);
  std::vector<std::vector<Likely>> out;
  for (std::size_t i = 0; i < logits.rows(); ++i) out.push_back(likeliest(logits.row(i), shown_by_lens));
  return out;
}

Trace Recorder::finish(const std::function<void(std::size_t, std::size_t)>& between) const {
  const auto& config = model_.config();
  const std::size_t width = config.dim();
  Trace trace{ids_, next_, given_, {}, {}, {}};
  const auto embedding = model_.embedding(ids_);
  trace.norms.push_back(lengths<double>(embedding, width));
  trace.lens.push_back(lens(embedding));
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    trace.attention.push_back(attention_weights(config, layer.q, layer.k, ids_.size()));
    trace.norms.push_back(lengths<float>(layer.after_attention, width));
    trace.norms.push_back(lengths<float>(layer.after_mlp, width));
    if (l + 1 < layers_.size()) {
      trace.lens.push_back(lens(std::vector<double>(layer.after_mlp.begin(), layer.after_mlp.end())));
    } else {  // what the model itself says
      trace.lens.push_back(next_);
      for (auto& row : trace.lens.back()) row.resize(shown_by_lens);
    }
    between(l + 1, layers_.size());
  }
  return trace;
}

}  // namespace lawful::viewer
