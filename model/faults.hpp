// What a miswired call of an operation says: each operation declared once more, for all types that it is not for.
// Nothing here is defined or ever runs; see model/wiring.hpp.
#pragma once
#include "model/operations.hpp"

namespace lawful::model {

struct AnyExtents;

namespace detail {

// Which argument of a call is the wrong one.

template <class X, class W> struct NormFault : Seam<RmsNorm<AxisOf<X>, AnyAxis>, W> {};
template <class X, class From, class To> struct NormFault<X, RmsNorm<From, To>> : FirstWrong<Seam<Rows<From>, X>> {};

template <class X, class W> struct LinearSeam : Seam<Linear<AnyAxis, AxisOf<X>>, W> {};
template <class X, class Out, class In> struct LinearSeam<X, Linear<Out, In>> : Seam<Rows<In>, X> {};

template <class Q, class P> struct AttentionFault : Seam<Pushed<LayerCache<ModelOf<Q>, AnyExtents>>, P> {};
template <class Q, class M, class Extents>
struct AttentionFault<Q, Pushed<LayerCache<M, Extents>>> : FirstWrong<Seam<Rows<Rotated<Query<M>>>, Q>> {};

template <class X, class D>
struct AddFault : Seam<OneOf<Rows<Residual<ModelOf<X>>>, Rows<AttnResidual<ModelOf<X>>>>, X> {};
template <class M, class D>
struct AddFault<Rows<Residual<M>>, D> : FirstWrong<Seam<Rows<AttnDelta<M>>, D>> {};
template <class M, class D>
struct AddFault<Rows<AttnResidual<M>>, D> : FirstWrong<Seam<Rows<MlpDelta<M>>, D>> {};

}  // namespace detail

template <class W, class X,
          class Fault = FirstWrong<Seam<Embedding<Vocab<ModelOf<W>>, Residual<ModelOf<W>>>, W>,
                                   Seam<Tokens<ModelOf<W>>, X>>>
wiring_fault<Expected<typename Fault::expected>, Observed<typename Fault::observed>> embed(const W&, const X&);

template <class X, class W, class Fault = detail::NormFault<X, W>>
wiring_fault<Expected<typename Fault::expected>, Observed<typename Fault::observed>> norm(const X&, const W&);

template <class X, class... W, class Fault = FirstWrong<detail::LinearSeam<X, W>...>>
wiring_fault<Expected<typename Fault::expected>, Observed<typename Fault::observed>> project(const X&, const W&...);

template <class X, class P,
          class Fault = FirstWrong<Seam<OneOf<Rows<Query<ModelOf<X>>>, Rows<Key<ModelOf<X>>>>, X>,
                                   Seam<Positions<ModelOf<X>>, P>>>
wiring_fault<Expected<typename Fault::expected>, Observed<typename Fault::observed>> rope(const X&, const P&);

template <class Q, class P, class Fault = detail::AttentionFault<Q, P>>
wiring_fault<Expected<typename Fault::expected>, Observed<typename Fault::observed>> attention(const Q&, const P&);

template <class G, class U,
          class Fault = FirstWrong<Seam<Rows<Gate<ModelOf<G>>>, G>, Seam<Rows<Up<ModelOf<G>>>, U>>>
wiring_fault<Expected<typename Fault::expected>, Observed<typename Fault::observed>> swiglu(const G&, const U&);

template <class X, class D, class Fault = detail::AddFault<X, D>>
wiring_fault<Expected<typename Fault::expected>, Observed<typename Fault::observed>> add(const X&, const D&);

}  // namespace lawful::model
