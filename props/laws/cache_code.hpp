// Laws of positions, of the cache and of steps, on the cache that the forward pass writes and reads.
#pragma once
#include <vector>

#include "model/kv_cache.hpp"
#include "props/laws/running_code.hpp"

namespace lawful::props {

/// A layer's cache with a value of its own in every place that was written.
class WrittenCache {
 public:
  explicit WrittenCache(std::size_t capacity) : cache_(capacity) {}

  std::size_t length() const { return cache_.length(); }
  std::size_t left() const { return cache_.left(); }
  bool has_room(std::size_t count) const { return cache_.room(count).has_value(); }

  /// Pushes `count` rows; key and value of position t, head h, lane i are told apart from all others.
  void push(std::size_t count) {
    if (count == 0) return;
    model::Rows<model::Rotated<model::Key<small>>> keys(count);
    model::Rows<model::Value<small>> values(count);
    for (std::size_t r = 0; r < count; ++r)
      for (std::size_t i = 0; i < small::config.kvw(); ++i) {
        keys.row(r)[i] = written(length() + r, i);
        values.row(r)[i] = -written(length() + r, i);
      }
    auto room = cache_.room(count);
    RC_ASSERT(room.has_value());
    auto pushed = std::move(cache_).push(*std::move(room), keys, values);
    planes_ = {pushed.planes().keys(), pushed.planes().values()};
    cache_ = std::move(pushed).cache();
  }

  /// Every row that was pushed, where attention looks for it: plane of its head, row of its position.
  void assert_all_there() const {
    constexpr auto& c = small::config;
    for (std::size_t t = 0; t < length(); ++t)
      for (std::size_t h = 0; h < c.kv_heads; ++h)
        for (std::size_t i = 0; i < c.head(); ++i) {
          const std::size_t place = (h * cache_.capacity() + t) * c.head() + i;
          RC_ASSERT(planes_[0][place] == written(t, h * c.head() + i));
          RC_ASSERT(planes_[1][place] == -written(t, h * c.head() + i));
        }
  }

 private:
  static float written(std::size_t t, std::size_t i) { return static_cast<float>(t * small::config.kvw() + i + 1); }
  model::LayerCache<small, model::Dynamic> cache_;
  std::array<const float*, 2> planes_{};
};

template <>
struct RunningCode<laws::add_zero> {
  static void check() {
    always("the cache gives no room for no token, and stays where it is", [] {
      const auto m = number(0, 40);
      WrittenCache cache(m + 1);
      cache.push(m);
      RC_ASSERT(!cache.has_room(0));
      RC_ASSERT(cache.length() == m);
    });
  }
};

template <>
struct RunningCode<laws::add_one> {
  static void check() {
    always("one push moves the cache by one", [] {
      const auto m = number(0, 40);
      WrittenCache cache(m + 1);
      cache.push(m);
      cache.push(1);
      RC_ASSERT(cache.length() == m + 1);
      cache.assert_all_there();
    });
  }
};

template <>
struct RunningCode<laws::add_succ> {
  static void check() {
    always("a chunk of n + 1 ends one after a chunk of n, in the slot beside it", [] {
      const auto m = number(0, 20), n = number(0, 20);
      WrittenCache at_once(m + n + 1), one_later(m + n + 1);
      at_once.push(m), at_once.push(n + 1);
      one_later.push(m), one_later.push(n), one_later.push(1);
      RC_ASSERT(at_once.length() == one_later.length());
      at_once.assert_all_there();
      one_later.assert_all_there();
    });
  }
};

template <>
struct RunningCode<laws::add_assoc> {
  static void check() {
    always("every way of cutting a text into chunks fills the same slots", [] {
      const auto chunks = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 9));
      std::size_t sum = 0;
      for (const auto n : chunks) sum += n;
      WrittenCache cache(sum + number(1, 3));
      for (const auto n : chunks) cache.push(n);
      RC_ASSERT(cache.length() == sum);
      cache.assert_all_there();
    });
  }
};

template <>
struct RunningCode<laws::kv_room> {
  static void check() {
    for (std::size_t capacity = 1; capacity <= 24; ++capacity)
      always(fmt::format("a cache of {} is filled to the brim, and every row is where it was put", capacity), [&] {
        WrittenCache cache(capacity);
        while (cache.left() > 0) cache.push(number(1, cache.left()));
        RC_ASSERT(cache.length() == capacity);
        RC_ASSERT(!cache.has_room(1));
        cache.assert_all_there();
      }, 20);
  }
};

template <>
struct RunningCode<laws::kv_heads> {
  template <class M>
  static void check_model() {
    always(fmt::format("an empty cache of {} has its KV heads, and memory for them", M::config.name), [] {
      const auto capacity = number(1, 60);
      const model::LayerCache<M, model::Dynamic> cache(capacity);
      const model::Planes planes(capacity, cache.heads(), M::config.head());
      RC_ASSERT(cache.heads() == M::config.kv_heads);
      RC_ASSERT(cache.length() == 0 && cache.capacity() == capacity);
      RC_ASSERT(planes.bytes() == 2 * capacity * M::config.kvw() * sizeof(float));
      RC_ASSERT(planes.values() == planes.keys() + capacity * M::config.kvw());
      RC_ASSERT(model::KvCache<M>::bytes(capacity) == M::config.layers * planes.bytes());
    }, 50);
  }
  static void check() {
    check_model<model::smollm2_135m>();
    check_model<model::smollm2_360m>();
    check_model<model::smollm2_1_7b>();
    check_model<model::tiny>();
  }
};

template <>
struct RunningCode<laws::leb_trans> {
  static void check() {
    always("where a chunk has room, every shorter one has", [] {
      WrittenCache cache(number(1, 30));
      cache.push(number(0, cache.left()));
      const auto longer = number(0, 32), shorter = number(0, longer);
      if (shorter > 0 && cache.has_room(longer)) RC_ASSERT(cache.has_room(shorter));
    });
  }
};

template <>
struct RunningCode<laws::leb_mul> {
  static void check() {
    always("a cache of more positions takes at least the bytes of one of fewer, position by position", [] {
      const auto a = number(0, 5000), b = number(a, 5000);
      RC_ASSERT(model::KvCache<small>::bytes(a) <= model::KvCache<small>::bytes(b));
      RC_ASSERT(model::KvCache<small>::bytes(b) == b * model::KvCache<small>::bytes(1));
    });
  }
};

template <>
struct RunningCode<laws::step_room> {
  static void check() {
    always("the cache has room for n exactly where n steps are left", [] {
      WrittenCache cache(number(1, 30));
      cache.push(number(0, cache.left()));
      for (std::size_t n = 1; n < 34; ++n) RC_ASSERT(cache.has_room(n) == (n <= cache.left()));
    });
  }
};

template <>
struct RunningCode<laws::step_inv> {
  static void check() {
    always("after every push, length + left is the capacity", [] {
      const auto capacity = number(1, 30);
      WrittenCache cache(capacity);
      while (cache.left() > 0) {
        cache.push(number(1, cache.left()));
        RC_ASSERT(cache.length() + cache.left() == capacity);
      }
    });
  }
};

}  // namespace lawful::props
