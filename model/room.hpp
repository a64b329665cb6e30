// Room witnesses: nothing is written into a cache without one. A room is a move-only value that only a cache hands out
// after checking, worth a counted number of positions of that cache.
#pragma once
#include "model/wiring.hpp"

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace lawful::model {

/// Extents of a cache, as of std::span. Dynamic: capacity and length are known when the program runs.
struct Dynamic {};
/// Capacity and length are known where the cache is compiled. `Name` is any type, one for each cache: it makes the
/// rooms of two caches two types.
template <std::size_t Capacity, std::size_t Length, class Name>
struct Static {};

/// Positions that a cache has left; a fault names how many were wanted and how many there are.
template <std::size_t Count>
struct FreePositions;

template <class M, class Extents> class LayerCache;
template <class M> class KvCache;
template <class M> class KvCaches;

/// Positions [first, first + count) of a sequence. Only a room has some, so none can be made up.
template <class M>
class Positions {
 public:
  using Model = M;
  constexpr std::size_t first() const { return first_; }
  constexpr std::size_t count() const { return count_; }

 private:
  template <class, class> friend class LayerCache;
  template <class, class, std::size_t...> friend class Room;
  friend class KvCache<M>;
  template <class> friend class KvRoom;
  constexpr Positions(std::size_t first, std::size_t count) : first_(first), count_(count) {}
  std::size_t first_, count_;
};

/// Proof that positions of one layer's cache are free; `Count` of them where the extents are static. Spent by the push
/// that it allows.
template <class M, class Extents, std::size_t... Count>
class Room {
 public:
  using Model = M;
  Room(Room&& other) noexcept
      : owner_(std::exchange(other.owner_, nullptr)), positions_(std::exchange(other.positions_, {0, 0})) {}
  Room& operator=(Room&&) = delete;

  std::size_t count() const { return positions_.count(); }
  /// Throws std::logic_error where the room is spent.
  Positions<M> positions() const {
    if (owner_ == nullptr) throw std::logic_error("the room witness was spent already");
    return positions_;
  }

 private:
  friend class LayerCache<M, Extents>;
  friend class KvCache<M>;
  friend class KvCaches<M>;
  Room(const void* owner, Positions<M> positions) : owner_(owner), positions_(positions) {}
  const void* owner_;
  Positions<M> positions_;
};

/// Proof that positions are free in every layer of a whole cache. Spent by the forward pass that it allows.
template <class M>
class KvRoom {
 public:
  using Model = M;
  KvRoom(KvRoom&& other) noexcept
      : owner_(std::exchange(other.owner_, nullptr)), positions_(std::exchange(other.positions_, {0, 0})) {}
  KvRoom& operator=(KvRoom&&) = delete;
  std::size_t count() const { return positions_.count(); }

 private:
  friend class KvCache<M>;
  friend class KvCaches<M>;
  KvRoom(const void* owner, Positions<M> positions) : owner_(owner), positions_(positions) {}
  const void* owner_;
  Positions<M> positions_;
};

}  // namespace lawful::model
