// What a miswired call of the forward pass, or of one layer of it, says; see model/faults.hpp.
#pragma once
#include "model/forward.hpp"

namespace lawful::model {

namespace detail {

/// The room of a layer's cache.
template <class Cache> struct RoomFor { using type = Room<ModelOf<Cache>, AnyExtents>; };
template <class M, class Extents>
struct RoomFor<LayerCache<M, Extents>> { using type = typename LayerCache<M, Extents>::template RoomHere<>; };

template <class M, class C>
struct CacheSeam : Seam<LayerCache<M, AnyExtents>, C> {};
template <class M, class Extents>
struct CacheSeam<M, LayerCache<M, Extents>> : Seam<M, M> {};

template <class C, class R> struct RoomSeam : Seam<typename RoomFor<C>::type, R> {};
template <class M, class Extents, std::size_t... Count>
struct RoomSeam<LayerCache<M, Extents>, Room<M, Extents, Count...>> : Seam<M, M> {};

template <class W, class C = Nothing, class R = Nothing, class X = Nothing, class... Watch>
struct BlockFault : FirstWrong<Seam<Layer<ModelOf<W>>, W>, CacheSeam<ModelOf<W>, C>, RoomSeam<C, R>,
                               Seam<Rows<Residual<ModelOf<W>>>, X>> {};

template <class W, class C = Nothing, class R = Nothing, class T = Nothing, class... Rest>
struct ForwardFault : FirstWrong<Seam<Weights<ModelOf<W>>, W>, Seam<KvCache<ModelOf<W>>, C>,
                                 Seam<KvRoom<ModelOf<W>>, R>, Seam<Tokens<ModelOf<W>>, T>> {};

}  // namespace detail

template <class M, class Watch, class... X, class Fault = WrongValue<BlockValues<M>, Values<X...>>>
wiring_fault<Expected<typename Fault::expected>, Observed<typename Fault::observed>> shown(Watch&, const X&...);

template <class... X, class Fault = detail::BlockFault<X...>>
wiring_fault<Expected<typename Fault::expected>, Observed<typename Fault::observed>> block(const X&...);

template <class... X, class Fault = detail::ForwardFault<X...>>
wiring_fault<Expected<typename Fault::expected>, Observed<typename Fault::observed>> forward(const X&...);

}  // namespace lawful::model
