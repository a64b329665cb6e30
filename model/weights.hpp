// The tensors of a model, named as in a checkpoint. This is the one list of them in the project: the layout count, the
// loader and `inspect` walk it.
#pragma once
#include "model/operations.hpp"

#include <boost/hana/accessors.hpp>
#include <boost/hana/define_struct.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/unpack.hpp>

#include <array>
#include <string>

namespace lawful::model {

template <class M>
struct SelfAttention {
  using Model = M;
  using QProj = Linear<Query<M>, AttnInput<M>>;
  using KProj = Linear<Key<M>, AttnInput<M>>;
  using VProj = Linear<Value<M>, AttnInput<M>>;
  using OProj = Linear<AttnDelta<M>, Attended<M>>;
  BOOST_HANA_DEFINE_STRUCT(SelfAttention, (QProj, q_proj), (KProj, k_proj), (VProj, v_proj), (OProj, o_proj));
};

template <class M>
struct Mlp {
  using Model = M;
  using GateProj = Linear<Gate<M>, MlpInput<M>>;
  using UpProj = Linear<Up<M>, MlpInput<M>>;
  using DownProj = Linear<MlpDelta<M>, Gated<M>>;
  BOOST_HANA_DEFINE_STRUCT(Mlp, (GateProj, gate_proj), (UpProj, up_proj), (DownProj, down_proj));
};

template <class M>
struct Layer {
  using Model = M;
  using InputNorm = RmsNorm<Residual<M>, AttnInput<M>>;
  using PostNorm = RmsNorm<AttnResidual<M>, MlpInput<M>>;
  BOOST_HANA_DEFINE_STRUCT(Layer, (InputNorm, input_layernorm), (SelfAttention<M>, self_attn),
                           (PostNorm, post_attention_layernorm), (Mlp<M>, mlp));
};

template <class M>
struct Decoder {
  using Model = M;
  using Embed = Embedding<Vocab<M>, Residual<M>>;
  using Layers = std::array<Layer<M>, M::config.layers>;
  using FinalNorm = RmsNorm<BlockOut<M>, Final<M>>;
  BOOST_HANA_DEFINE_STRUCT(Decoder, (Embed, embed_tokens), (Layers, layers), (FinalNorm, norm));
};

template <class M>
struct Weights {
  using Model = M;
  Decoder<M> model;
  Linear<Vocab<M>, Final<M>> lm_head;  ///< the embedding again, where the two are tied
};

namespace detail {
template <class T>
concept Tensor = requires { T::shape; };
template <class T> inline constexpr bool is_array = false;
template <class T, std::size_t n> inline constexpr bool is_array<std::array<T, n>> = true;
}  // namespace detail

/// Calls visit(name, tensor) for every tensor of `part`, in order. Names are those of the checkpoint:
/// "model.layers.3.self_attn.q_proj.weight" for a Decoder named "model".
template <class T, class Visit>
void each_tensor(const std::string& name, T& part, Visit&& visit) {
  if constexpr (detail::Tensor<T>) {
    visit(name + ".weight", part);
  } else if constexpr (detail::is_array<std::remove_const_t<T>>) {
    for (std::size_t i = 0; i < part.size(); ++i) each_tensor(name + "." + std::to_string(i), part[i], visit);
  } else {
    boost::hana::for_each(boost::hana::accessors<std::remove_const_t<T>>(), [&](auto member) {
      const std::string key = boost::hana::to<const char*>(boost::hana::first(member));
      each_tensor(name + "." + key, boost::hana::second(member)(part), visit);
    });
  }
}

/// Values that the shapes of T's tensors add up to: a fact of the types alone.
template <class T>
constexpr std::size_t value_count() {
  if constexpr (detail::Tensor<T>) {
    std::size_t count = 1;
    for (const std::size_t extent : T::shape) count *= extent;
    return count;
  } else if constexpr (detail::is_array<T>) {
    return std::tuple_size_v<T> * value_count<typename T::value_type>();
  } else {
    return boost::hana::unpack(boost::hana::accessors<T>(), [](auto... member) {
      return (value_count<std::remove_cvref_t<decltype(boost::hana::second(member)(std::declval<T&>()))>>() + ...);
    });
  }
}

/// Values in a checkpoint of M whose output matrix is its embedding.
template <class M>
inline constexpr std::size_t layout_count = value_count<Decoder<M>>();

}  // namespace lawful::model
