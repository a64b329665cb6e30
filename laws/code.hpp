// The code that laws speak about, as one type to pass to `holds`. A mutant derives from it and gets one thing wrong.
#pragma once
#include "kernels/index.hpp"
#include "kernels/order.hpp"
#include "model/config.hpp"
#include "model/kv_cache.hpp"
#include "model/steps.hpp"
#include "model/weights.hpp"

namespace lawful::laws {

/// The product as it is: the kernels' index maps and order of addition, and what the types of a model come to.
struct Product : kernels::Index, kernels::Order {
  template <class Model>
  static constexpr model::Config config = Model::config;

  /// Values that the shapes of the typed weights add up to.
  template <class Model>
  static constexpr std::size_t layout = model::layout_count<Model>;

  /// Heads of an empty cache.
  template <class Model>
  static constexpr std::size_t cache_heads = model::LayerCache<Model, model::Dynamic>::heads();
};

}  // namespace lawful::laws
