// One layer's keys and values of every position so far, one plane a KV head.
#pragma once
#include "kernels/index.hpp"
#include "model/axes.hpp"
#include "model/room.hpp"
#include "model/rows.hpp"
#include "model/steps.hpp"
#include "model/wiring.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace lawful::model {

/// Floats that one layer's keys (or values) take: kv_heads planes of `capacity` rows of one head.
template <class Ix = kernels::Index, class N>
constexpr N plane_extent(N capacity, N kv_heads, N head) {
  return Ix::extent(kv_heads, Ix::extent(capacity, head));
}

/// Keys, or values, of one layer's cache: `capacity` rows of each head.
template <class A>
class Plane {
 public:
  Plane(float* data, std::size_t capacity) : data_(data), capacity_(capacity) {}
  float* data() const { return data_; }
  std::size_t capacity() const { return capacity_; }
  Vec<Head<A>> row(std::size_t head, std::size_t position) const {
    using Ix = kernels::Index;
    return Vec<Head<A>>(data_ + Ix::row_begin(head, Ix::extent(capacity_, Head<A>::size)) +
                        Ix::row_begin(position, Head<A>::size));
  }

 private:
  float* data_;
  std::size_t capacity_;
};

/// Memory of one layer: reserved at once, taken from the machine as positions are written. Throws io::Failure.
class Planes {
 public:
  Planes(std::size_t capacity, std::size_t kv_heads, std::size_t head);
  float* keys() const { return memory_.get(); }
  float* values() const { return memory_.get() + extent_; }
  std::size_t capacity() const { return capacity_; }
  std::size_t bytes() const { return 2 * extent_ * sizeof(float); }

 private:
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  std::size_t capacity_, extent_;
  std::unique_ptr<float[], Free> memory_;
};

/// Proof that rows of this axis were written.
template <class A>
struct Written {};

/// A layer's cache right after its push: what attention reads. It holds the new positions' own keys.
template <class Cache>
class Pushed {
 public:
  using Model = typename Cache::Model;
  const Planes& planes() const { return cache_.planes_; }
  auto keys() const { return cache_.key_plane(); }
  auto values() const { return cache_.value_plane(); }
  std::size_t first() const { return at_.first(); }  ///< position of the first new row
  std::size_t count() const { return at_.count(); }  ///< new rows
  Cache cache() && { return std::move(cache_); }

 private:
  template <class, class> friend class LayerCache;
  Pushed(Written<Rotated<Key<Model>>>, Written<Value<Model>>, Cache&& cache, Positions<Model> at)
      : cache_(std::move(cache)), at_(at) {}
  Cache cache_;
  Positions<Model> at_;
};

namespace detail {

/// What the kind of extents says about a cache.
template <class Extents> struct extents;
template <> struct extents<Dynamic> {
  static constexpr bool fixed = false;
  static constexpr std::size_t capacity = 0, length = 0;
  template <class M, std::size_t> using room = Room<M, Dynamic>;
  template <std::size_t...> using grown = Dynamic;
};
template <std::size_t Capacity, std::size_t Length, class Name>
struct extents<Static<Capacity, Length, Name>> {
  static_assert(Length <= Capacity, "the length of a cache is at most its capacity");
  static constexpr bool fixed = true;
  static constexpr std::size_t capacity = Capacity, length = Length;
  template <class M, std::size_t N> using room = Room<M, Static<Capacity, Length, Name>, N>;
  template <std::size_t... N> using grown = Static<Capacity, (Length + ... + N), Name>;
};

}  // namespace detail

/// One layer's keys and values; move-only.
template <class M, class Extents>
class LayerCache {
  using E = detail::extents<Extents>;

 public:
  using Model = M;
  /// A room of this cache, for N positions where the extents are static.
  template <std::size_t N = 1>
  using RoomHere = typename E::template room<M, N>;
  template <std::size_t... N>
  using Grown = LayerCache<M, typename E::template grown<N...>>;

  LayerCache()
    requires(E::fixed && E::length == 0)
      : LayerCache({E::capacity, M::config.kv_heads, M::config.head()}, Steps<std::size_t>::empty(E::capacity)) {}
  explicit LayerCache(std::size_t capacity)
    requires(!E::fixed)
      : LayerCache({capacity, M::config.kv_heads, M::config.head()}, Steps<std::size_t>::empty(capacity)) {}

  static constexpr std::size_t heads() { return M::config.kv_heads; }
  std::size_t length() const { return steps_.t; }
  std::size_t left() const { return steps_.left; }
  std::size_t capacity() const { return planes_.capacity(); }

  /// Room for N positions of a cache of static extents; does not compile where there is none.
  template <std::size_t N = 1>
    requires(E::fixed && N > 0 && N <= E::capacity - E::length)
  RoomHere<N> room() const { return {planes_.keys(), {E::length, N}}; }
  template <std::size_t N = 1>
    requires(E::fixed && (N == 0 || N > E::capacity - E::length))
  wiring_fault<Expected<FreePositions<N>>, Observed<FreePositions<E::capacity - E::length>>> room() const;

  /// Room for `count` positions, or nothing where they do not fit.
  std::optional<Room<M, Extents>> room(std::size_t count) const
    requires(!E::fixed)
  {
    if (!steps_.has_room(count)) return std::nullopt;
    return Room<M, Extents>(planes_.keys(), {steps_.t, count});
  }

  /// Writes `keys` and `values` at the room's positions and takes them. Throws std::logic_error where the room was
  /// spent, comes from another cache, or is for another count of rows.
  template <std::size_t... N>
  Pushed<Grown<N...>> push(Room<M, Extents, N...>&& room, const Rows<Rotated<Key<M>>>& keys,
                           const Rows<Value<M>>& values) && {
    const Room<M, Extents, N...> spent = std::move(room);
    const Positions<M> at = checked(spent, keys, values);
    return {write(keys, key_plane(), at), write(values, value_plane(), at),
            Grown<N...>(std::move(planes_), advanced(at)), at};
  }

  /// Forgets the positions from `length` on.
  void truncate(std::size_t length)
    requires(!E::fixed)
  {
    while (steps_.t > length) steps_ = steps_.given_back();
  }

 private:
  template <class R> struct RoomSeam : Seam<RoomHere<>, std::remove_cvref_t<R>> {};
  template <std::size_t... N> struct RoomSeam<Room<M, Extents, N...>> : Seam<M, M> {};
  template <std::size_t... N>
  struct RoomSeam<Room<M, Extents, N...>&> : Seam<RoomHere<>, NotMoved<Room<M, Extents, N...>>> {};
  template <class R, class K = Nothing, class V = Nothing, class...>
  struct PushFault : FirstWrong<RoomSeam<R>, Seam<Rows<Rotated<Key<M>>>, std::remove_cvref_t<K>>,
                                Seam<Rows<Value<M>>, std::remove_cvref_t<V>>> {};

 public:
  /// Any other push does not compile.
  template <class... X, class Fault = PushFault<X...>>
  wiring_fault<Expected<typename Fault::expected>, Observed<typename Fault::observed>> push(X&&...) &&;
  /// The room itself is a fault, and was named already.
  template <class E1, class O1, class... X>
  void push(wiring_fault<E1, O1>&&, X&&...) &&;

 private:
  template <class, class> friend class LayerCache;
  template <class> friend class KvCache;
  template <class> friend class KvCaches;
  template <class> friend class Pushed;
  LayerCache(Planes&& planes, Steps<std::size_t> steps) : planes_(std::move(planes)), steps_(steps) {}

  /// The positions of a room that is worth this push.
  template <class R>
  Positions<M> checked(const R& room, const Rows<Rotated<Key<M>>>& keys, const Rows<Value<M>>& values) const {
    if (room.owner_ == nullptr) throw std::logic_error("push: the room witness was spent already");
    if (room.owner_ != planes_.keys()) throw std::logic_error("push: the room witness is another cache's");
    if (room.positions().first() != steps_.t) throw std::logic_error("push: the room witness is for other positions");
    for (const std::size_t rows : {keys.count(), values.count()})
      if (rows != room.count())
        throw std::logic_error(fmt::format("push: room for {} rows, found {}", room.count(), rows));
    return room.positions();
  }

  Plane<Rotated<Key<M>>> key_plane() const { return {planes_.keys(), planes_.capacity()}; }
  Plane<Value<M>> value_plane() const { return {planes_.values(), planes_.capacity()}; }

  template <class A>
  static Written<A> write(const Rows<A>& rows, Plane<A> plane, Positions<M> at) {
    for (std::size_t i = 0; i < at.count(); ++i)
      for (std::size_t h = 0; h < heads(); ++h)
        store(rows.head(i, h), plane.row(h, kernels::Index::advance(at.first(), i)));
    return {};
  }

  Steps<std::size_t> advanced(Positions<M> at) const {
    Steps<std::size_t> steps = steps_;
    for (std::size_t i = 0; i < at.count(); ++i) steps = steps.taken();
    return steps;
  }

  Planes planes_;
  Steps<std::size_t> steps_;
};

}  // namespace lawful::model
