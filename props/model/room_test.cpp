// Room witnesses. Where extents are dynamic, what the compiler cannot see is a checked error that changes nothing; where
// they are static, the same numbers come out. What the compiler sees is in laws/compile_fail/cases.
#include "model/forward.hpp"
#include "model/load.hpp"
#include "props/model/tiny.hpp"

#include <doctest/doctest.h>

#include <array>
#include <stdexcept>
#include <string>

namespace {

using namespace lawful::props;
namespace model = lawful::model;
using model::Dynamic, model::tiny;
using Cache = model::LayerCache<tiny, Dynamic>;
using Keys = model::Rows<model::Rotated<model::Key<tiny>>>;
using Values = model::Rows<model::Value<tiny>>;

template <class Rows>
Rows filled(std::size_t count, float value) {
  Rows rows(count);
  for (std::size_t i = 0; i < count * Rows::width; ++i) rows.data()[i] = value + static_cast<float>(i);
  return rows;
}

template <class Call>
std::string logic_error(Call&& call) {
  try {
    call();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

std::string push(Cache& cache, model::Room<tiny, Dynamic>& room, std::size_t keys, std::size_t values) {
  return logic_error([&] {
    cache = std::move(cache).push(std::move(room), filled<Keys>(keys, 1), filled<Values>(values, 2)).cache();
  });
}

struct Loaded {
  Tiny files = tiny_gguf(tiny_weights());
  model::Checkpoint checkpoint = model::Checkpoint::open(files.checkpoint->path());
  model::Weights<tiny> weights = model::load_weights<tiny>(checkpoint);
};

const model::Weights<tiny>& weights() {
  static const Loaded loaded;
  return loaded.weights;
}

const auto unwatched = [](model::LayerIndex<tiny>) { return model::Unwatched(); };

model::Rows<model::Vocab<tiny>> forward(model::KvCache<tiny>& cache, model::KvRoom<tiny>& room, const Ids& ids) {
  return model::forward(weights(), cache, std::move(room), model::Tokens<tiny>(ids), ids.size(), unwatched);
}

std::vector<float> bits(const model::Rows<model::Vocab<tiny>>& logits) {
  return {logits.data(), logits.data() + logits.count() * model::Vocab<tiny>::size};
}

}  // namespace

TEST_CASE("a cache gives room for what it has left, for no more and not for nothing") {
  Cache cache(3);
  CHECK(cache.room(3).has_value());
  CHECK_FALSE(cache.room(4).has_value());
  CHECK_FALSE(cache.room(0).has_value());
  model::KvCache<tiny> all(3);
  CHECK(all.room(3).has_value());
  CHECK_FALSE(all.room(4).has_value());
  CHECK_FALSE(all.room(0).has_value());
}

TEST_CASE("a push refuses a room that is spent, another cache's, for other positions or another count") {
  Cache cache(4), other(4);
  auto room = *cache.room(2), stale = *cache.room(2), others = *other.room(2), two = *cache.room(2);
  CHECK(push(cache, others, 2, 2) == "push: the room witness is another cache's");
  CHECK(push(cache, two, 1, 2) == "push: room for 2 rows, found 1");
  auto again = *cache.room(2);
  CHECK(push(cache, again, 2, 3) == "push: room for 2 rows, found 3");
  auto both = *cache.room(2);
  CHECK(push(cache, both, 1, 3) == "push: room for 2 rows, found 1");
  CHECK(cache.length() == 0);
  CHECK(push(cache, room, 2, 2) == "");
  CHECK(cache.length() == 2);
  CHECK(push(cache, room, 2, 2) == "push: the room witness was spent already");
  CHECK(push(cache, stale, 2, 2) == "push: the room witness is for other positions");
  CHECK(cache.length() == 2);
  auto rest = *cache.room(2);
  CHECK(push(cache, rest, 2, 2) == "");
  CHECK(cache.left() == 0);
}

TEST_CASE("a spent room has no positions") {
  Cache cache(2);
  auto room = *cache.room(1);
  CHECK(room.positions().first() == 0);
  CHECK(room.positions().count() == 1);
  CHECK(push(cache, room, 1, 1) == "");
  CHECK(room.count() == 0);
  CHECK(logic_error([&] { room.positions(); }) == "the room witness was spent already");
}

TEST_CASE("a layer refuses a room that is spent or another cache's") {
  const auto& layer = weights().model.layers[0];
  const model::Rows<model::Residual<tiny>> x = model::embed(weights().model.embed_tokens, model::Tokens<tiny>(Ids{7}));
  Cache cache(4), other(4);
  auto room = *cache.room(1), others = *other.room(1);
  CHECK(logic_error([&] { model::block(layer, Cache(4), std::move(others), x); }) ==
        "push: the room witness is another cache's");
  auto next = model::block(layer, std::move(cache), std::move(room), x).cache;
  CHECK(next.length() == 1);
  CHECK(logic_error([&] { model::block(layer, std::move(next), std::move(room), x); }) ==
        "the room witness was spent already");
}

TEST_CASE("a forward pass refuses a room that is spent, another cache's, for other positions or another count") {
  model::KvCache<tiny> cache(8), other(8);
  auto room = *cache.room(2), stale = *cache.room(2), others = *other.room(2), three = *cache.room(3);
  CHECK(logic_error([&] { forward(cache, others, {1, 2}); }) == "forward: the room witness is another cache's");
  CHECK(logic_error([&] { forward(cache, three, {1, 2}); }) ==
        "forward: the room witness is for another count of tokens");
  CHECK(cache.length() == 0);
  forward(cache, room, {1, 2});
  CHECK(cache.length() == 2);
  CHECK(logic_error([&] { forward(cache, room, {1, 2}); }) == "forward: the room witness was spent already");
  CHECK(logic_error([&] { forward(cache, stale, {1, 2}); }) == "forward: the room witness is for other positions");
  CHECK(cache.length() == 2);
}

TEST_CASE("every layer writes keys and values of its own, at the positions of the room") {
  const auto ids = random_ids(5, 3);
  std::array<std::vector<float>, 2> keys, values;
  std::array<model::LayerCache<tiny, Dynamic>, 2> caches{Cache(5), Cache(5)};
  auto x = model::embed(weights().model.embed_tokens, model::Tokens<tiny>(ids));
  for (std::size_t l = 0; l < 2; ++l) {
    auto room = *caches[l].room(5);
    auto done = model::block(weights().model.layers[l], std::move(caches[l]), std::move(room), x,
                             [&]<class A>(const model::Rows<A>& rows) {
                               if constexpr (std::is_same_v<A, model::Rotated<model::Key<tiny>>>)
                                 keys[l].assign(rows.data(), rows.data() + rows.count() * A::size);
                               if constexpr (std::is_same_v<A, model::Value<tiny>>)
                                 values[l].assign(rows.data(), rows.data() + rows.count() * A::size);
                             });
    CHECK(done.cache.length() == 5);
    x = model::renamed<model::Residual<tiny>>(std::move(done.out));
  }
  CHECK(keys[0].size() == 5 * model::Key<tiny>::size);
  CHECK(keys[0] != keys[1]);
  CHECK(values[0] != values[1]);
  CHECK(keys[0] != values[0]);
}

TEST_CASE("caches of static extents give the bits of those of dynamic extents") {
  const auto ids = random_ids(3, 5);
  model::KvCache<tiny> dynamic(3);
  auto room = *dynamic.room(3);
  const auto expected = bits(forward(dynamic, room, ids));

  const auto& layers = weights().model.layers;
  struct first;
  struct second;
  model::LayerCache<tiny, model::Static<3, 0, first>> a;
  model::LayerCache<tiny, model::Static<3, 0, second>> b;
  auto in_a = a.room<3>();
  auto in_b = b.room<3>();
  auto x = model::embed(weights().model.embed_tokens, model::Tokens<tiny>(ids));
  auto one = model::block(layers[0], std::move(a), std::move(in_a), x);
  x = model::renamed<model::Residual<tiny>>(std::move(one.out));
  auto two = model::block(layers[1], std::move(b), std::move(in_b), x);
  static_assert(std::is_same_v<decltype(two.cache), model::LayerCache<tiny, model::Static<3, 3, second>>>);
  CHECK(two.cache.left() == 0);
  CHECK(bits(model::project(model::norm(two.out, weights().model.norm), weights().lm_head)) == expected);
}
