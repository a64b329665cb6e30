// Where a forward pass stopped being finite: NaN and infinity are named by layer and tensor, never sampled from.
#pragma once
#include "io/bad_input.hpp"
#include "model/rows.hpp"
#include "model/weights.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lawful::model {

/// The first of `count` numbers that is NaN or infinite, or `count`.
std::size_t first_not_finite(const float* values, std::size_t count);
std::size_t first_not_finite(const double* values, std::size_t count);

/// "model.layers.3.self_attn.q_proj.weight[5, 7] = nan": the first value of a matrix that is not finite, in the rows of
/// the model (not those of the file); or nothing.
std::optional<std::string> not_finite_weight(const std::string& name, const kernels::StoredMatrix& matrix);
std::optional<std::string> not_finite_weight(const std::string& name, const std::vector<float>& gain);

/// Looks for the first value of a forward pass that is not finite; `first` is the position of its first row.
struct NotFinite {
  std::size_t first;
  std::string place;  ///< "layer 3, q at position 12: nan"; empty while all was finite

  template <class A>
  void look(std::size_t layer, const Rows<A>& rows) {
    if (!place.empty()) return;
    const std::size_t at = first_not_finite(rows.data(), rows.count() * A::size);
    if (at < rows.count() * A::size)
      place = fmt::format("layer {}, {} at position {}: {}", layer, A::name, first + at / A::size, rows.data()[at]);
  }
};

/// The first weight of a model that is not finite, as above; or nothing.
template <class M>
std::optional<std::string> not_finite_weight(const Weights<M>& weights) {
  std::optional<std::string> found;
  const auto look = [&](const std::string& name, const auto& tensor) {
    if (found) return;
    if constexpr (requires { tensor.gain; })
      found = not_finite_weight(name, tensor.gain);
    else
      found = not_finite_weight(name, tensor.matrix);
  };
  each_tensor("model", weights.model, look);
  look("lm_head.weight", weights.lm_head);
  return found;
}

}  // namespace lawful::model
