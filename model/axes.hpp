// What the numbers of a vector mean. An axis has a role, a width and a kind of number; two axes of one width are still
// two types, so that a vector in the wrong place does not compile.
#pragma once
#include "model/config.hpp"

#include <cstddef>
#include <string_view>

namespace lawful::model {

namespace detail {
template <class M, std::size_t Width, class Number = float>
struct Axis : WellFormed<M> {
  using Model = M;
  using number = Number;
  static constexpr std::size_t size = Width;
};
}  // namespace detail

// `name` is what `lawful trace` and the float64 oracle call the values.

// The residual stream is the one sum that runs through the whole model, so it is kept in double: what the layers add
// to it is rounded nowhere before the next norm rounds its own output once (docs/arithmetic.md).
template <class M> struct Residual : detail::Axis<M, M::config.dim(), double> {};      ///< enters a block
template <class M> struct AttnDelta : detail::Axis<M, M::config.dim(), double> {};     ///< what attention adds to it
template <class M> struct AttnResidual : detail::Axis<M, M::config.dim(), double> {    ///< after that addition
  static constexpr std::string_view name = "a";
};
template <class M> struct MlpDelta : detail::Axis<M, M::config.dim(), double> {};      ///< what the MLP adds to it
template <class M> struct BlockOut : detail::Axis<M, M::config.dim(), double> {        ///< leaves the block
  static constexpr std::string_view name = "y";
};

template <class M> struct AttnInput : detail::Axis<M, M::config.dim()> {   ///< normed, for q, k, v
  static constexpr std::string_view name = "n1";
};
template <class M> struct Query : detail::Axis<M, M::config.dim()> {       ///< heads() heads side by side
  static constexpr std::string_view name = "q", rotated_name = "qr";
};
template <class M> struct Key : detail::Axis<M, M::config.kvw()> {         ///< kv_heads heads side by side
  static constexpr std::string_view name = "k", rotated_name = "kr";
};
template <class M> struct Value : detail::Axis<M, M::config.kvw()> {       ///< kv_heads heads side by side
  static constexpr std::string_view name = "v";
};
template <class A> struct Rotated : detail::Axis<typename A::Model, A::size> {  ///< Query or Key after RoPE
  static constexpr std::string_view name = A::rotated_name;
};
/// An axis that RoPE turns: heads side by side, not turned yet.
template <class A>
concept Rotates = requires { A::rotated_name; };
/// One head of an axis that has heads side by side.
template <class A> struct Head : detail::Axis<typename A::Model, A::Model::config.head()> {};
template <class M> struct Attended : detail::Axis<M, M::config.dim()> {    ///< weighted values, heads side by side
  static constexpr std::string_view name = "attn";
};
template <class M> struct MlpInput : detail::Axis<M, M::config.dim()> {    ///< normed, for gate, up
  static constexpr std::string_view name = "n2";
};
template <class M> struct Gate : detail::Axis<M, M::config.ffn> {};
template <class M> struct Up : detail::Axis<M, M::config.ffn> {};
template <class M> struct Gated : detail::Axis<M, M::config.ffn> {         ///< silu(gate) · up
  static constexpr std::string_view name = "m";
};
template <class M> struct Final : detail::Axis<M, M::config.dim()> {};     ///< after the model's last norm
template <class M> struct Vocab : detail::Axis<M, M::config.vocab> {};     ///< logits; and the ids that they are of

}  // namespace lawful::model
