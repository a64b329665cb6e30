// Several texts in one forward pass, so that the weights are read once for all of them. Their tokens are rows of the
// same activations; each text keeps its cache, its room witness and its positions. Between rows stands no operation but
// attention, which reads the text's own cache alone: a text's bits are those that it has by itself (law rows_apart).
//
// The block is the one of model/forward.hpp: caches side by side are a third kind of extents.
#pragma once
#include "model/forward.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace lawful::model {

/// Extents of several caches of dynamic extents.
struct SideBySide {};

/// Positions of several texts, one text after the other. Only rooms have some.
template <class M>
class PositionsSideBySide {
 public:
  using Model = M;
  const std::vector<Positions<M>>& each() const { return each_; }

 private:
  friend class Room<M, SideBySide>;
  explicit PositionsSideBySide(std::vector<Positions<M>> each) : each_(std::move(each)) {}
  std::vector<Positions<M>> each_;
};

/// Proof that positions of each of several layers' caches are free: a room for each.
template <class M>
class Room<M, SideBySide> {
 public:
  using Model = M;
  explicit Room(std::vector<Room<M, Dynamic>>&& each) : each_(std::move(each)) {}

  /// Throws std::logic_error where a room is spent.
  PositionsSideBySide<M> positions() const {
    std::vector<Positions<M>> at;
    for (const auto& room : each_) at.push_back(room.positions());
    return PositionsSideBySide<M>(std::move(at));
  }
  std::vector<Room<M, Dynamic>> each() && { return std::move(each_); }

 private:
  std::vector<Room<M, Dynamic>> each_;
};

/// Layers' caches right after a push into each of them.
template <class M>
class Pushed<LayerCache<M, SideBySide>> {
 public:
  using Model = M;
  explicit Pushed(std::vector<Pushed<LayerCache<M, Dynamic>>>&& each) : each_(std::move(each)) {}
  const std::vector<Pushed<LayerCache<M, Dynamic>>>& each() const { return each_; }
  LayerCache<M, SideBySide> cache() && {
    std::vector<LayerCache<M, Dynamic>> caches;
    for (auto& one : each_) caches.push_back(std::move(one).cache());
    return LayerCache<M, SideBySide>(std::move(caches));
  }

 private:
  std::vector<Pushed<LayerCache<M, Dynamic>>> each_;
};

namespace detail {
/// Rows begin … begin + count − 1 as rows of their own.
template <class A>
Rows<A> some_rows(const Rows<A>& rows, std::size_t begin, std::size_t count) {
  Rows<A> out(count);
  for (std::size_t i = 0; i < count; ++i) store<A>(rows.row(begin + i), out.row(i));
  return out;
}
}  // namespace detail

/// One layer of several texts: each cache with what it is for; move-only.
template <class M>
class LayerCache<M, SideBySide> {
 public:
  using Model = M;
  template <std::size_t = 1>
  using RoomHere = Room<M, SideBySide>;

  explicit LayerCache(std::vector<LayerCache<M, Dynamic>>&& each) : each_(std::move(each)) {}
  std::vector<LayerCache<M, Dynamic>> each() && { return std::move(each_); }

  /// Pushes each text's rows of `keys` and `values` into its own cache, by its own room, which says how many they are.
  /// Throws std::logic_error as the caches do, or where the rooms are not for this many caches or rows.
  Pushed<LayerCache> push(Room<M, SideBySide>&& room, const Rows<Rotated<Key<M>>>& keys,
                          const Rows<Value<M>>& values) && {
    auto rooms = std::move(room).each();
    if (rooms.size() != each_.size()) throw std::logic_error("push: another number of room witnesses than of caches");
    std::size_t rows = 0;
    for (const auto& one : rooms) rows += one.count();
    if (keys.count() != rows || values.count() != rows)
      throw std::logic_error(fmt::format("push: room for {} rows, {} keys and {} values", rows, keys.count(),
                                         values.count()));
    std::vector<Pushed<LayerCache<M, Dynamic>>> pushed;
    for (std::size_t i = 0, begin = 0; i < each_.size(); ++i) {
      const std::size_t count = rooms[i].count();
      pushed.push_back(std::move(each_[i]).push(std::move(rooms[i]), detail::some_rows(keys, begin, count),
                                                detail::some_rows(values, begin, count)));
      begin += count;
    }
    return Pushed<LayerCache>(std::move(pushed));
  }

  /// Any other push does not compile.
  template <class R, class K = Nothing, class V = Nothing, class... Rest,
            class Fault = FirstWrong<Seam<Room<M, SideBySide>, R>,
                                     Seam<Rows<Rotated<Key<M>>>, std::remove_cvref_t<K>>,
                                     Seam<Rows<Value<M>>, std::remove_cvref_t<V>>>>
  wiring_fault<Expected<typename Fault::expected>, Observed<typename Fault::observed>> push(R&&, K&&, V&&, Rest&&...) &&;

 private:
  std::vector<LayerCache<M, Dynamic>> each_;
};

/// Turns each text's queries or keys by its own positions.
template <template <class> class Role, class M>
  requires Rotates<Role<M>>
Rows<Rotated<Role<M>>> rope(const Rows<Role<M>>& x, const PositionsSideBySide<M>& at) {
  static constexpr auto frequency = kernels::inverse_frequencies<M::config.half>(M::config.theta);
  std::size_t rows = 0;
  for (const auto& one : at.each()) rows += one.count();
  if (x.count() != rows) throw std::logic_error("rope: another count of positions than of rows");
  Rows<Rotated<Role<M>>> out(rows);
  for (std::size_t begin = 0; const auto& one : at.each()) {
    kernels::rope(x.row(begin).data(), one.count(), Role<M>::size / M::config.head(), frequency, one.first(),
                  out.row(begin).data());
    begin += one.count();
  }
  return out;
}

/// Each new position's queries over the keys of its own text up to its own.
template <class M>
Rows<Attended<M>> attention(const Rows<Rotated<Query<M>>>& q, const Pushed<LayerCache<M, SideBySide>>& seen) {
  std::size_t rows = 0;
  for (const auto& one : seen.each()) rows += one.count();
  if (q.count() != rows) throw std::logic_error("attention: another count of queries than of new keys");
  Rows<Attended<M>> out(rows);
  std::vector<kernels::AttentionRows> texts;
  for (std::size_t begin = 0; const auto& one : seen.each()) {
    texts.push_back({{M::config.kv_heads, M::config.group, M::config.head(), one.keys().capacity()}, q.row(begin).data(),
                     one.count(), one.keys().data(), one.values().data(), one.first(), out.row(begin).data()});
    begin += one.count();
  }
  kernels::attention(texts);
  return out;
}

/// What one text gets in a forward pass of several.
template <class M>
struct Part {
  KvCache<M>& cache;
  KvRoom<M> room;      ///< of this cache, for as many positions as there are tokens
  Tokens<M> tokens;
  std::size_t wanted;  ///< logits of the last so many tokens
};

/// The caches of several texts, each with the room that this forward pass spends.
template <class M>
class KvCaches {
 public:
  using Model = M;

  /// Throws std::logic_error where a room was spent, is another cache's or for other positions or tokens, or where two
  /// parts are of one cache.
  explicit KvCaches(std::vector<Part<M>>&& parts) {
    for (auto& part : parts) {
      if (std::ranges::find(caches_, &part.cache) != caches_.end())
        throw std::logic_error("forward: two parts of one cache");
      rooms_.push_back(part.cache.spent(std::move(part.room), part.tokens.count()));
      caches_.push_back(&part.cache);
    }
  }

  /// Sends `x`, the rows of all texts one after the other, through all layers: block(layer, its caches, their rooms,
  /// stream) is called for each in turn.
  template <class Block>
  Rows<BlockOut<M>> through(Rows<Residual<M>> x, Block&& block) {
    for (const LayerIndex<M> layer : LayerIndex<M>::all()) x = KvCache<M>::entering(through_one(layer, x, block));
    return KvCache<M>::leaving(std::move(x));
  }

 private:
  template <class Block>
  Rows<BlockOut<M>> through_one(LayerIndex<M> layer, const Rows<Residual<M>>& x, Block& block) {
    std::vector<LayerCache<M, Dynamic>> caches;
    std::vector<Room<M, Dynamic>> rooms;
    for (std::size_t i = 0; i < caches_.size(); ++i) {
      auto& cache = layer.of(caches_[i]->layer_);
      rooms.push_back(Room<M, Dynamic>(cache.planes_.keys(), rooms_[i].positions_));
      caches.push_back(std::move(cache));
    }
    Through<M, LayerCache<M, SideBySide>> done = block(layer, LayerCache<M, SideBySide>(std::move(caches)),
                                                       Room<M, SideBySide>(std::move(rooms)), x);
    caches = std::move(done.cache).each();
    for (std::size_t i = 0; i < caches_.size(); ++i) layer.of(caches_[i]->layer_) = std::move(caches[i]);
    return std::move(done.out);
  }

  std::vector<KvCache<M>*> caches_;
  std::vector<KvRoom<M>> rooms_;
};

/// Some rows of the stream: the last `count` before `end`.
struct LastRows {
  std::size_t end, count;
};

/// These rows, one after the other.
template <class A>
Rows<A> last_rows(const Rows<A>& rows, const std::vector<LastRows>& wanted) {
  std::size_t total = 0;
  for (const LastRows& one : wanted) total += one.count;
  Rows<A> out(total);
  for (std::size_t to = 0; const LastRows& one : wanted)
    for (std::size_t i = one.end - one.count; i < one.end; ++i) store<A>(rows.row(i), out.row(to++));
  return out;
}

/// Logits of the last wanted tokens of each part (at most all), one part after the other; the tokens are appended to the
/// texts in the parts' caches. `watch(layer)` makes the watch of a layer.
template <class M, class Watch>
Rows<Vocab<M>> forward(const Weights<M>& w, std::vector<Part<M>> parts, Watch&& watch) {
  std::vector<std::uint32_t> ids;
  std::vector<LastRows> wanted;
  for (const Part<M>& part : parts) {
    ids.insert(ids.end(), part.tokens.ids().begin(), part.tokens.ids().end());
    wanted.push_back({ids.size(), std::min(part.wanted, part.tokens.count())});
  }
  KvCaches<M> caches(std::move(parts));
  const auto y = caches.through(embed(w.model.embed_tokens, Tokens<M>(ids)),
                                [&](LayerIndex<M> layer, auto kv, auto here, const Rows<Residual<M>>& x) {
                                  return block(layer.of(w.model.layers), std::move(kv), std::move(here), x, watch(layer));
                                });
  return project(norm(last_rows(y, wanted), w.model.norm), w.lm_head);
}

}  // namespace lawful::model
