// The KV cache: keys and values of every position so far, for each layer one plane a KV head.
//
// Like std::span it has extents: capacity and length are static or dynamic. Nothing writes without a room witness, a
// move-only value that only the cache hands out after checking, worth a counted number of positions of that cache.
#pragma once
#include "io/bad_input.hpp"
#include "kernels/index.hpp"
#include "model/axes.hpp"
#include "model/rows.hpp"
#include "model/steps.hpp"
#include "model/wiring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lawful::model {

inline constexpr std::size_t dynamic = std::numeric_limits<std::size_t>::max();

/// Positions [first, first + count) of a sequence. Only a room witness has some, so none can be made up.
template <class M>
class Positions {
 public:
  constexpr std::size_t first() const { return first_; }
  constexpr std::size_t count() const { return count_; }

 private:
  template <class, std::size_t, std::size_t> friend class Room;
  constexpr Positions(std::size_t first, std::size_t count) : first_(first), count_(count) {}
  std::size_t first_, count_;
};

template <class M, std::size_t Capacity, std::size_t Length> class LayerCache;
template <class M> class KvCache;

/// Proof that positions of one layer's cache are free. Spent by the push that it allows.
template <class M, std::size_t Capacity = dynamic, std::size_t Length = dynamic>
class Room {
 public:
  Room(Room&& other) noexcept
      : owner_(std::exchange(other.owner_, nullptr)), first_(other.first_), count_(std::exchange(other.count_, 0)) {}
  Room& operator=(Room&&) = delete;

  std::size_t count() const { return count_; }
  Positions<M> positions() const { return Positions<M>(first_, count_); }

 private:
  template <class, std::size_t, std::size_t> friend class LayerCache;
  template <class> friend class KvCache;
  Room(const void* owner, std::size_t first, std::size_t count) : owner_(owner), first_(first), count_(count) {}
  const void* owner_;
  std::size_t first_, count_;
};

/// Floats that one layer's keys (or values) take: kv_heads planes of `capacity` rows of one head.
template <class Ix = kernels::Index, class N>
constexpr N plane_extent(N capacity, N kv_heads, N head) {
  return Ix::extent(kv_heads, Ix::extent(capacity, head));
}

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

/// A layer's cache right after its push: what attention reads. It holds the new positions' own keys.
template <class Cache>
class Pushed {
 public:
  using Model = typename Cache::Model;
  const Planes& planes() const { return cache_.planes_; }
  std::size_t first() const { return first_; }  ///< position of the first new row
  std::size_t count() const { return count_; }  ///< new rows
  Cache cache() && { return std::move(cache_); }

 private:
  template <class, std::size_t, std::size_t> friend class LayerCache;
  Pushed(Cache&& cache, std::size_t first, std::size_t count)
      : cache_(std::move(cache)), first_(first), count_(count) {}
  Cache cache_;
  std::size_t first_, count_;
};

/// One layer's keys and values; move-only.
template <class M, std::size_t Capacity = dynamic, std::size_t Length = dynamic>
class LayerCache {
  static constexpr bool fixed = Capacity != dynamic;
  static_assert(fixed == (Length != dynamic), "capacity and length are both static or both dynamic");
  static_assert(!fixed || Length <= Capacity, "no room: the cache is full");

 public:
  using Model = M;
  template <std::size_t N>
  using Grown = LayerCache<M, Capacity, fixed ? Length + N : dynamic>;

  LayerCache()
    requires(fixed && Length == 0)
      : LayerCache({Capacity, M::config.kv_heads, M::config.head()}, Steps<std::size_t>::empty(Capacity)) {}
  explicit LayerCache(std::size_t capacity)
    requires(!fixed)
      : LayerCache({capacity, M::config.kv_heads, M::config.head()}, Steps<std::size_t>::empty(capacity)) {}

  static constexpr std::size_t heads() { return M::config.kv_heads; }
  std::size_t length() const { return steps_.t; }
  std::size_t left() const { return steps_.left; }
  std::size_t capacity() const { return planes_.capacity(); }

  /// Room for N positions of a cache of static extents; does not compile where there is none.
  template <std::size_t N = 1>
    requires fixed
  Room<M, Capacity, Length> room() const {
    static_assert(N > 0 && N <= Capacity - Length, "no room: the cache is full");
    return {planes_.keys(), Length, N};
  }
  /// Room for `count` positions, or nothing where they do not fit.
  std::optional<Room<M>> room(std::size_t count) const
    requires(!fixed)
  {
    if (!steps_.has_room(count)) return std::nullopt;
    return Room<M>(planes_.keys(), steps_.t, count);
  }

  /// Writes `keys` and `values` at the room's positions and takes them. Throws std::logic_error where the room was
  /// spent, comes from another cache, or is for another count of rows.
  template <std::size_t N = 1, class R, class K, class V>
  Pushed<Grown<N>> push(R&& room, const K& keys, const V& values) && {
    static_assert(wired<Room<M, Capacity, Length>, R>);
    static_assert(wired<Rows<Rotated<Key<M>>>, K>);
    static_assert(wired<Rows<Value<M>>, V>);
    const Room<M, Capacity, Length> spent = std::move(room);
    check(spent, keys.count(), values.count(), fixed ? N : spent.count_);
    write(keys, planes_.keys(), spent.first_);
    write(values, planes_.values(), spent.first_);
    return {Grown<N>(std::move(planes_), advanced(spent.count_)), spent.first_, spent.count_};
  }

  /// Forgets the positions from `length` on.
  void truncate(std::size_t length)
    requires(!fixed)
  {
    while (steps_.t > length) steps_ = steps_.given_back();
  }

 private:
  template <class, std::size_t, std::size_t> friend class LayerCache;
  template <class> friend class KvCache;
  template <class> friend class Pushed;
  LayerCache(Planes&& planes, Steps<std::size_t> steps) : planes_(std::move(planes)), steps_(steps) {}

  void check(const Room<M, Capacity, Length>& room, std::size_t keys, std::size_t values, std::size_t wanted) const {
    if (room.owner_ == nullptr) throw std::logic_error("push: the room witness was spent already");
    if (room.owner_ != planes_.keys()) throw std::logic_error("push: the room witness is another cache's");
    if (room.first_ != steps_.t) throw std::logic_error("push: the room witness is for other positions");
    if (keys != room.count_ || values != room.count_ || wanted != room.count_)
      throw std::logic_error(fmt::format("push: room for {} rows, {} keys and {} values", room.count_, keys, values));
  }

  template <class A>
  void write(const Rows<A>& rows, float* planes, std::size_t first) const {
    using Ix = kernels::Index;
    constexpr std::size_t head = M::config.head();
    for (std::size_t i = 0; i < rows.count(); ++i)
      for (std::size_t h = 0; h < heads(); ++h) {
        const auto from = rows.row(i).subspan(Ix::row_begin(h, head), head);
        float* plane = planes + Ix::row_begin(h, Ix::extent(capacity(), head));
        std::copy(from.begin(), from.end(), plane + Ix::row_begin(Ix::advance(first, i), head));
      }
  }

  Steps<std::size_t> advanced(std::size_t count) const {
    Steps<std::size_t> steps = steps_;
    for (std::size_t i = 0; i < count; ++i) steps = steps.taken();
    return steps;
  }

  Planes planes_;
  Steps<std::size_t> steps_;
};

/// Proof that positions are free in every layer of a whole cache.
template <class M>
class KvRoom {
 public:
  KvRoom(KvRoom&& other) noexcept
      : owner_(std::exchange(other.owner_, nullptr)), first_(other.first_), count_(std::exchange(other.count_, 0)) {}
  KvRoom& operator=(KvRoom&&) = delete;
  std::size_t count() const { return count_; }

 private:
  friend class KvCache<M>;
  KvRoom(const void* owner, std::size_t first, std::size_t count) : owner_(owner), first_(first), count_(count) {}
  const void* owner_;
  std::size_t first_, count_;
};

/// What a block hands on: the residual stream, and its layer's cache with the new positions.
template <class M, class Cache>
struct Through {
  Rows<BlockOut<M>> out;
  Cache cache;
};

/// The caches of all layers, of one capacity, advancing together.
template <class M>
class KvCache {
 public:
  static constexpr std::size_t layers = M::config.layers;

  /// Bytes that `capacity` positions take.
  static constexpr std::size_t bytes(std::size_t capacity) {
    return 2 * layers * plane_extent(capacity, M::config.kv_heads, M::config.head()) * sizeof(float);
  }

  /// An empty cache. Throws io::Failure where the memory cannot be reserved.
  explicit KvCache(std::size_t capacity) {
    layer_.reserve(layers);
    for (std::size_t l = 0; l < layers; ++l) layer_.emplace_back(capacity);
  }

  std::size_t capacity() const { return layer_.back().capacity(); }
  std::size_t length() const { return layer_.back().length(); }
  std::size_t left() const { return layer_.back().left(); }

  /// Room for `count` positions in every layer, or nothing where they do not fit.
  std::optional<KvRoom<M>> room(std::size_t count) const {
    if (!layer_.back().steps_.has_room(count)) return std::nullopt;
    return KvRoom<M>(this, length(), count);
  }

  /// Sends `x` through all layers: block(layer, its cache, its room, stream) is called for each in turn. Throws
  /// std::logic_error where the room was spent, is another cache's or for other positions.
  template <class Block>
  Rows<BlockOut<M>> through(KvRoom<M>&& room, Rows<Residual<M>> x, Block&& block) {
    const KvRoom<M> spent = std::move(room);
    if (spent.owner_ == nullptr) throw std::logic_error("forward: the room witness was spent already");
    if (spent.owner_ != this) throw std::logic_error("forward: the room witness is another cache's");
    if (spent.first_ != length()) throw std::logic_error("forward: the room witness is for other positions");
    if (spent.count_ != x.count()) throw std::logic_error("forward: the room witness is for another count of tokens");
    for (std::size_t l = 0;; ++l) {
      Room<M> here(layer_[l].planes_.keys(), spent.first_, spent.count_);
      auto done = block(l, std::move(layer_[l]), std::move(here), x);
      layer_[l] = std::move(done.cache);
      if (l + 1 == layers) return std::move(done.out);
      x = renamed<Residual<M>>(std::move(done.out));
    }
  }

  /// Forgets the positions from `length` on, so that others can be written there.
  void truncate(std::size_t length) {
    for (auto& layer : layer_) layer.truncate(length);
  }

 private:
  std::vector<LayerCache<M>> layer_;
};

}  // namespace lawful::model
