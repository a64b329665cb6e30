// What the numbers of a vector mean. An axis has a role, a width and a kind of number; two axes of one width are still
// two types, so that a vector in the wrong place does not compile.
#pragma once
#include <cstddef>
#include <string_view>

namespace lawful::model {

namespace detail {
template <std::size_t Width, class Number = float>
struct Axis {
  static constexpr std::size_t size = Width;
  using number = Number;
};
}  // namespace detail

// The residual stream is the one sum that runs through the whole model, so it is kept in double: what the layers add
// to it is rounded nowhere before the next norm rounds its own output once (docs/arithmetic.md).
template <class M> struct Residual : detail::Axis<M::config.dim(), double> {};      ///< enters a block
template <class M> struct AttnDelta : detail::Axis<M::config.dim(), double> {};     ///< what attention adds to it
template <class M> struct AttnResidual : detail::Axis<M::config.dim(), double> {};  ///< after that addition
template <class M> struct MlpDelta : detail::Axis<M::config.dim(), double> {};      ///< what the MLP adds to it
template <class M> struct BlockOut : detail::Axis<M::config.dim(), double> {};      ///< leaves the block

template <class M> struct AttnInput : detail::Axis<M::config.dim()> {};   ///< normed, for q, k, v
template <class M> struct Query : detail::Axis<M::config.dim()> {};       ///< heads() heads side by side
template <class M> struct Key : detail::Axis<M::config.kvw()> {};         ///< kv_heads heads side by side
template <class M> struct Value : detail::Axis<M::config.kvw()> {};
template <class A> struct Rotated : detail::Axis<A::size> {};             ///< after RoPE; A is Query or Key
template <class M> struct Attended : detail::Axis<M::config.dim()> {};    ///< weighted values, heads side by side
template <class M> struct MlpInput : detail::Axis<M::config.dim()> {};    ///< normed, for gate, up
template <class M> struct Gate : detail::Axis<M::config.ffn> {};
template <class M> struct Up : detail::Axis<M::config.ffn> {};
template <class M> struct Gated : detail::Axis<M::config.ffn> {};         ///< silu(gate) · up
template <class M> struct Final : detail::Axis<M::config.dim()> {};       ///< after the model's last norm
template <class M> struct Vocab : detail::Axis<M::config.vocab> {};       ///< logits

}  // namespace lawful::model
