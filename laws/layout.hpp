// The shapes in the types add up to the number of values in a checkpoint.
#pragma once
#include "laws/code.hpp"
#include "laws/law.hpp"

namespace lawful::laws {

// Wrong lists of tensors.
struct final_norm_forgotten : Product {
  static constexpr Fault fault{"final_norm_forgotten", "the norm after the last layer is left out"};
  template <class Model>
  static constexpr std::size_t layout = model::layout_count<Model> - Model::config.dim();
};
struct one_norm_a_layer : Product {
  static constexpr Fault fault{"one_norm_a_layer", "a layer has one norm, not two"};
  template <class Model>
  static constexpr std::size_t layout = model::layout_count<Model> - Model::config.layers * Model::config.dim();
};
struct output_counted_twice : Product {
  static constexpr Fault fault{"output_counted_twice", "the output matrix is counted beside the embedding that it is"};
  template <class Model>
  static constexpr std::size_t layout = model::layout_count<Model> + Model::config.vocab * Model::config.dim();
};
struct last_layer_left_out : Product {
  static constexpr Fault fault{"last_layer_left_out", "the layers are one too few"};
  template <class Model>
  static constexpr std::size_t layout = model::layout_count<Model> - model::value_count<model::Layer<Model>>();
};

/// `values`: how many the published checkpoint holds.
template <std::size_t values>
struct layout_is {
  static constexpr std::array<const char*, 0> variables{};

  template <class Code, class Model, class N>
  static constexpr auto holds() {
    return equal(N{Code::template layout<Model>}, N{values});
  }

  static constexpr std::array<Range, 0> domain(const model::Config&) { return {}; }
  static constexpr std::array<std::size_t, 0> legal(auto&&) { return {}; }
  static constexpr std::array<Edge, 0> edges{};
  using mutants = types<final_norm_forgotten, one_norm_a_layer, output_counted_twice, last_layer_left_out>;
};

struct layout_135m : layout_is<134'515'008> {
  static constexpr About about{
      .name = "layout_135m",
      .statement = "the shapes in SmolLM2-135M's types add up to the checkpoint's 134,515,008 values",
      .why = "A tensor that is left out, counted twice or of another width cannot hide: the sum is the file's.",
      .symbol = "layout_count",
      .file = "model/weights.hpp",
      .picture = "embedding 49152 x 576  +  30 layers  +  norm 576  =  134,515,008"};
  using models = types<model::smollm2_135m>;
};

struct layout_360m : layout_is<361'821'120> {
  static constexpr About about{
      .name = "layout_360m",
      .statement = "the shapes in SmolLM2-360M's types add up to the checkpoint's 361,821,120 values",
      .why = "A tensor that is left out, counted twice or of another width cannot hide: the sum is the file's.",
      .symbol = "layout_count",
      .file = "model/weights.hpp",
      .picture = "embedding 49152 x 960  +  32 layers  +  norm 960  =  361,821,120"};
  using models = types<model::smollm2_360m>;
};

struct layout_1_7b : layout_is<1'711'376'384> {
  static constexpr About about{
      .name = "layout_1_7b",
      .statement = "the shapes in SmolLM2-1.7B's types add up to the checkpoint's 1,711,376,384 values",
      .why = "A tensor that is left out, counted twice or of another width cannot hide: the sum is the file's.",
      .symbol = "layout_count",
      .file = "model/weights.hpp",
      .picture = "embedding 49152 x 2048  +  24 layers  +  norm 2048  =  1,711,376,384"};
  using models = types<model::smollm2_1_7b>;
};

using layout_laws = types<layout_135m, layout_360m, layout_1_7b>;

}  // namespace lawful::laws
