// The KV cache: keys and values of every position so far, in all layers.
//
// Nothing writes without a room witness (model/room.hpp), which carries the positions too: none can be made up.
#pragma once
#include "model/layer_cache.hpp"

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lawful::model {

/// Which layer of a model; no number, so that it is neither a position nor a count.
template <class M>
class LayerIndex {
 public:
  using Model = M;
  /// Every layer, in the order in which a token goes through them.
  static std::vector<LayerIndex> all() {
    std::vector<LayerIndex> layers;
    for (std::size_t number = 0; number < M::config.layers; ++number) layers.push_back(LayerIndex(number));
    return layers;
  }
  std::size_t number() const { return number_; }
  /// What is this layer's among those of all layers.
  template <class PerLayer>
  auto& of(PerLayer& all) const { return all[number_]; }

 private:
  constexpr explicit LayerIndex(std::size_t number) : number_(number) {}
  std::size_t number_;
};

/// Proof that a block's values were shown to its watch.
template <class M>
struct Shown {};

/// What a block hands on: the residual stream, and its layer's cache with the new positions.
template <class M, class Cache>
struct Through {
  Through(Shown<M>, Rows<BlockOut<M>>&& stream, Cache&& layer) : out(std::move(stream)), cache(std::move(layer)) {}
  Rows<BlockOut<M>> out;
  Cache cache;
};

/// The caches of all layers, of one capacity, advancing together.
template <class M>
class KvCache {
 public:
  using Model = M;
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
    return KvRoom<M>(this, {length(), count});
  }

  /// Sends `x` through all layers: block(layer, its cache, its room, stream) is called for each in turn. Throws
  /// std::logic_error where the room was spent, is another cache's or for other positions.
  template <class Block>
  Rows<BlockOut<M>> through(KvRoom<M>&& room, Rows<Residual<M>> x, Block&& block) {
    const KvRoom<M> here = spent(std::move(room), x.count());
    for (const LayerIndex<M> layer : LayerIndex<M>::all()) x = entering(through_one(layer, here, x, block));
    return leaving(std::move(x));
  }

  /// Forgets the positions from `length` on, so that others can be written there.
  void truncate(std::size_t length) {
    for (auto& layer : layer_) layer.truncate(length);
  }

 private:
  KvRoom<M> spent(KvRoom<M>&& room, std::size_t tokens) const {
    if (room.owner_ == nullptr) throw std::logic_error("forward: the room witness was spent already");
    if (room.owner_ != this) throw std::logic_error("forward: the room witness is another cache's");
    if (room.positions_.first() != length()) throw std::logic_error("forward: the room witness is for other positions");
    if (room.count() != tokens) throw std::logic_error("forward: the room witness is for another count of tokens");
    return std::move(room);
  }

  template <class Block>
  Rows<BlockOut<M>> through_one(LayerIndex<M> layer, const KvRoom<M>& here, const Rows<Residual<M>>& x, Block& block) {
    auto& cache = layer.of(layer_);
    Room<M, Dynamic> room(cache.planes_.keys(), here.positions_);
    Through<M, LayerCache<M, Dynamic>> done = block(layer, std::move(cache), std::move(room), x);
    cache = std::move(done.cache);
    return std::move(done.out);
  }

  /// What leaves a block enters the next, and what would enter another after the last leaves the layers.
  static Rows<Residual<M>> entering(Rows<BlockOut<M>>&& y) { return renamed<Residual<M>>(std::move(y)); }
  static Rows<BlockOut<M>> leaving(Rows<Residual<M>>&& x) { return renamed<BlockOut<M>>(std::move(x)); }

  friend class KvCaches<M>;
  std::vector<LayerCache<M, Dynamic>> layer_;
};

}  // namespace lawful::model
