// What a page shows of one text, collected while the model runs.
#pragma once
#include "model/sequence.hpp"
#include "viewer/likely.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace lawful::viewer {

/// More would make a page that no browser shows with ease: attention maps grow with the square.
inline constexpr std::size_t most_tokens = 128;

/// Figures of one text of `ids`. Rows of a layer are in the order of the tokens.
struct Trace {
  std::vector<std::uint32_t> ids;
  std::vector<std::vector<Likely>> next;   ///< after each token: the likeliest to follow
  std::vector<double> given;               ///< the probability that the tokens before gave to ids[t + 1]
  std::vector<std::vector<std::vector<Likely>>> lens;  ///< likeliest by layer (0: the embedding), then by token
  std::vector<std::vector<double>> norms;  ///< length of the residual stream: embedding, then twice a layer
  std::vector<std::vector<std::uint16_t>> attention;  ///< by layer: see attention_weights()
};

/// Sees a forward pass, in whatever pieces it is computed, then makes the Trace.
class Recorder {
 public:
  explicit Recorder(const model::Model& model) : model_(model), layers_(model.config().layers) {}

  /// To be called as the model's watcher.
  void watch(std::size_t layer, std::string_view name, std::span<const float> values);
  /// To be called with the logits of every position, in order.
  void add(const model::Logits& logits, std::span<const std::uint32_t> ids);

  /// `between(done, all)` is called from time to time; it may throw to stop.
  Trace finish(const std::function<void(std::size_t, std::size_t)>& between) const;

 private:
  struct Layer {
    std::vector<float> q, k;                         // rotated
    std::vector<float> after_attention, after_mlp;  // the residual stream
  };
  std::vector<std::vector<Likely>> lens(std::span<const double> stream) const;

  const model::Model& model_;
  std::vector<Layer> layers_;
  std::vector<std::uint32_t> ids_;
  std::vector<std::vector<Likely>> next_;
  std::vector<double> given_;
  std::vector<float> last_logits_;  // of the last token so far
};

}  // namespace lawful::viewer
