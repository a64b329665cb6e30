// Texts in one forward pass: each has the bits that it has alone, whatever stands beside it, and what is wrong with one
// is its own affair. All comparisons are of bits.
#include "io/bad_input.hpp"
#include "kernels/isa.hpp"
#include "kernels/team.hpp"
#include "model/load.hpp"
#include "model/side_by_side.hpp"
#include "props/kernels/settings.hpp"
#include "props/model/tiny.hpp"
#include "props/property.hpp"
#include "props/rejection.hpp"

#include <cstring>
#include <limits>
#include <stdexcept>

namespace {

using namespace lawful::props;
namespace model = lawful::model;
namespace kernels = lawful::kernels;

constexpr std::size_t vocab = model::tiny::config.vocab, context = model::tiny::config.context;

const Tiny& tiny() {
  static const Tiny one = tiny_gguf(tiny_weights());
  return one;
}

/// A text on its way through steps of several: what is left of it, and the logits so far.
struct Text {
  Ids ids;
  std::vector<float> expected;  // of all its positions, computed alone
  std::unique_ptr<model::Sequence> sequence;
  std::vector<float> found;
  std::vector<std::size_t> rows;  // the positions that they are of

  explicit Text(Ids text, std::size_t capacity = context)
      : ids(std::move(text)), expected(whole(*tiny().model, ids)), sequence(tiny().model->sequence(capacity)) {}

  std::size_t left() const { return ids.size() - sequence->length(); }
  model::Appending next(std::size_t count, std::size_t wanted) {
    const std::size_t begin = sequence->length();
    for (std::size_t row = begin + count - wanted; row < begin + count; ++row) rows.push_back(row);
    return {*sequence, std::span(ids).subspan(begin, count), wanted};
  }
  void take(const model::Appended& one) {
    REQUIRE(one.failure == "");
    const auto more = values(one.logits);
    found.insert(found.end(), more.begin(), more.end());
  }
  bool is_right() const {
    if (found.size() != rows.size() * vocab) return false;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (std::memcmp(found.data() + i * vocab, expected.data() + rows[i] * vocab, vocab * sizeof(float)) != 0)
        return false;
    return true;
  }
};

std::vector<Text> texts(const std::vector<std::size_t>& lengths, std::uint64_t seed) {
  std::vector<Text> out;
  for (const std::size_t length : lengths) out.emplace_back(random_ids(length, ++seed));
  return out;
}

/// One step of `some` of the texts: the next `counts` tokens of each.
void step(const std::vector<Text*>& some, const std::vector<std::size_t>& counts, const std::vector<std::size_t>& wanted) {
  std::vector<model::Appending> all;
  for (std::size_t i = 0; i < some.size(); ++i) all.push_back(some[i]->next(counts[i], wanted[i]));
  const auto made = tiny().model->append(all);
  REQUIRE(made.size() == all.size());
  for (std::size_t i = 0; i < some.size(); ++i) some[i]->take(made[i]);
}

void use_any_setting() {
  const auto sets = kernels::instruction_sets();
  kernels::use_instruction_set(sets[*rc::gen::inRange<std::size_t>(0, sets.size())]);
  kernels::use_threads(*rc::gen::inRange(1, 4));
}

void use_usual_setting() {
  kernels::use_instruction_set(kernels::instruction_sets().front());
  kernels::use_threads(kernels::machine_threads());
}

}  // namespace

TEST_CASE("texts of any lengths that come and go in any pieces have the bits that they have alone") {
  std::size_t steps = 0, mixed = 0;
  property("logits of every text in a batch", [&] {
    const auto count = *rc::gen::inRange<std::size_t>(1, 9);
    auto all = texts(*rc::gen::container<std::vector<std::size_t>>(count, rc::gen::inRange<std::size_t>(1, 33)),
                     *rc::gen::arbitrary<std::uint32_t>());
    const auto unfinished = [&] {
      std::vector<Text*> out;
      for (auto& text : all)
        if (text.left() > 0) out.push_back(&text);
      return out;
    };
    for (auto left = unfinished(); !left.empty(); left = unfinished()) {
      std::vector<Text*> some;
      std::vector<std::size_t> counts, wanted;
      for (Text* text : left) {
        if (left.size() > 1 && *rc::gen::element(true, false, false)) continue;  // waits, or has not come yet
        some.push_back(text);
        const bool decodes = *rc::gen::arbitrary<bool>();
        counts.push_back(decodes ? 1 : *rc::gen::inRange<std::size_t>(1, text->left() + 1));
        wanted.push_back(*rc::gen::inRange<std::size_t>(0, counts.back() + 1));
      }
      if (some.empty()) continue;
      use_any_setting();
      step(some, counts, wanted);
      ++steps;
      mixed += some.size() > 1 && std::ranges::max(counts) > 1;
    }
    for (const auto& text : all) RC_ASSERT(text.is_right());
  }, 60);
  use_usual_setting();
  CHECK(mixed > 100);  // the property is about something
  INFO(steps, " steps, ", mixed, " of them of several texts, one at least with several tokens");
}

TEST_CASE("eight texts side by side have the same bits on every instruction set and count of threads") {
  on_every_setting([] {
    auto all = texts({1, 2, 17, 5, 64, 33, 8, 40}, 90);
    std::vector<Text*> some;
    for (auto& text : all) some.push_back(&text);
    for (std::size_t piece = 1; !some.empty(); ++piece) {
      std::vector<std::size_t> counts;
      for (const Text* text : some) counts.push_back(std::min(piece % 5 + 1, text->left()));
      step(some, counts, counts);
      std::erase_if(some, [](const Text* text) { return text->left() == 0; });
    }
    for (const auto& text : all) CHECK(text.is_right());
  });
}

TEST_CASE("caches of different capacities stand side by side") {
  std::vector<Text> all;
  for (const std::size_t capacity : {20, 64, 21, 33}) all.emplace_back(random_ids(20, 100 + capacity), capacity);
  for (const std::size_t count : {19, 1})
    step({&all[0], &all[1], &all[2], &all[3]}, {count, count, count, count}, {count, count, count, count});
  for (const auto& text : all) CHECK(text.is_right());
}

TEST_CASE("only the wanted rows are given, at most all") {
  auto all = texts({9, 4, 6}, 110);
  const std::vector<model::Appending> step{
      {*all[0].sequence, all[0].ids, 0}, {*all[1].sequence, all[1].ids, 100}, {*all[2].sequence, all[2].ids, 1}};
  const auto made = tiny().model->append(step);
  CHECK(made[0].logits.rows() == 0);
  check_bits(values(made[1].logits), all[1].expected);
  check_bits(values(made[2].logits), {all[2].expected.end() - static_cast<std::ptrdiff_t>(vocab), all[2].expected.end()});
}

TEST_CASE("numbers that are not finite are the failure of their own text, which stays as it was") {
  GgufOptions options;
  options.matrices = kernels::Storage::f32;
  GgufImage image = gguf_image(tiny_weights(), options);
  const auto bad = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(image.tensor("token_embd.weight").data.data() + (77 * 192 + 5) * sizeof bad, &bad, sizeof bad);
  const TemporaryFolder folder;
  auto checkpoint = model::Checkpoint::open(folder.file("spoiled.gguf", image.bytes()));
  const auto spoiled = model::Model::load(checkpoint);
  // Row 77 of the embedding is row 77 of the output matrix too, so of no text are logits wanted but of the faulty one.
  const auto message = [&](const Ids& ids, std::size_t wanted) {
    try {
      spoiled->sequence(context)->append(ids, wanted);
    } catch (const lawful::io::Failure& failure) {
      return std::string(failure.what());
    }
    return std::string();
  };
  on_every_setting([&] {
    const Ids good = random_ids(6, 120), wrong{3, 77, 4};
    REQUIRE(std::ranges::find(good, 77U) == good.end());
    auto one = spoiled->sequence(context), two = spoiled->sequence(context), three = spoiled->sequence(context);
    two->append(Ids{9, 10}, 0);
    const std::vector<model::Appending> all{{*one, good, 0}, {*two, wrong, 0}, {*three, good, 1}};
    const auto made = spoiled->append(all);
    CHECK(made[0].failure == "");
    CHECK(one->length() == 6);
    CHECK(contains(made[1].failure, "layer 0, n1 at position 3: "));
    CHECK(contains(made[1].failure, "model.embed_tokens.weight[77, 5]"));
    CHECK(two->length() == 2);
    CHECK(made[2].failure == message(good, 1));
    CHECK(contains(made[2].failure, "logits, the layers being finite"));
    CHECK(three->length() == 0);
    two->append(good, 0);  // and it can go on
  });
}

TEST_CASE("a step that cannot be is refused as a whole, before anything is computed") {
  auto one = tiny().sequence(), two = tiny().model->sequence(4);
  const Tiny another = tiny_gguf(tiny_weights(2));
  const auto others = another.sequence();
  const Ids some = random_ids(3, 130), many = random_ids(5, 131), unknown{1, 256};
  const auto refused = [&](std::span<const std::uint32_t> ids) {
    const std::string word = rejection([&] {
      tiny().model->append(std::vector<model::Appending>{{*one, some, 1}, {*two, ids, 1}});
    });
    CHECK(one->length() == 0);
    CHECK(two->length() == 0);
    return word;
  };
  CHECK(contains(refused(many), "tokens: expected 1 to 4"));
  CHECK(contains(refused({}), "tokens: expected 1 to 4"));
  CHECK(contains(refused(unknown), "token id: expected 0 to 255, found 256"));
  CHECK_THROWS_AS(tiny().model->append(std::vector<model::Appending>{{*one, some, 1}, {*others, some, 1}}),
                  std::logic_error);
  CHECK_THROWS_AS(tiny().model->append(std::vector<model::Appending>{{*one, some, 1}, {*one, some, 1}}),
                  std::logic_error);
  CHECK(one->length() == 0);
  check_bits(values(one->append(some, 3)), whole(*tiny().model, some));
  CHECK(tiny().model->append({}).empty());
}

namespace {

using Cache = model::KvCache<model::tiny>;
using Part = model::Part<model::tiny>;

template <class Call>
std::string logic_error(Call&& call) {
  try {
    call();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

/// What a pass of two texts says where the second has `room`.
std::string with_room(Cache& first, Cache& second, model::KvRoom<model::tiny>& room) {
  const Ids ids{1, 2};
  const model::Tokens<model::tiny> tokens(ids);
  return logic_error([&] {
    std::vector<Part> parts;
    parts.push_back({first, *first.room(2), tokens, 0});
    parts.push_back({second, std::move(room), tokens, 0});
    model::KvCaches<model::tiny> caches(std::move(parts));
  });
}

}  // namespace

TEST_CASE("each text needs a room of its own cache, for its positions and its tokens, and not a spent one") {
  Cache one(8), two(8);
  auto others = *one.room(2), three = *two.room(3), right = *two.room(2);
  CHECK(with_room(one, two, others) == "forward: the room witness is another cache's");
  CHECK(with_room(one, two, three) == "forward: the room witness is for another count of tokens");
  CHECK(with_room(one, two, others) == "forward: the room witness was spent already");
  auto again = *one.room(2);
  CHECK(with_room(one, one, again) == "forward: two parts of one cache");
  CHECK(with_room(one, two, right) == "");
  CHECK(with_room(one, two, right) == "forward: the room witness was spent already");
  CHECK(one.length() + two.length() == 0);
}

TEST_CASE("layers side by side refuse rooms and rows that are not theirs") {
  using Layer = model::LayerCache<model::tiny, model::Dynamic>;
  using Layers = model::LayerCache<model::tiny, model::SideBySide>;
  using Rooms = model::Room<model::tiny, model::SideBySide>;
  const auto push = [](std::size_t keys, std::size_t vals, bool exchanged, bool one_room) {
    std::vector<Layer> caches;
    caches.emplace_back(4), caches.emplace_back(4);
    std::vector<model::Room<model::tiny, model::Dynamic>> rooms;
    rooms.push_back(*caches[exchanged ? 1 : 0].room(2));
    if (!one_room) rooms.push_back(*caches[exchanged ? 0 : 1].room(1));
    const model::Rows<model::Rotated<model::Key<model::tiny>>> k(keys);
    const model::Rows<model::Value<model::tiny>> v(vals);
    return logic_error([&] { Layers(std::move(caches)).push(Rooms(std::move(rooms)), k, v); });
  };
  CHECK(push(3, 3, false, false) == "");
  CHECK(push(2, 3, false, false) == "push: room for 3 rows, 2 keys and 3 values");
  CHECK(push(3, 4, false, false) == "push: room for 3 rows, 3 keys and 4 values");
  CHECK(push(3, 3, true, false) == "push: the room witness is another cache's");
  CHECK(push(2, 2, false, true) == "push: another number of room witnesses than of caches");
}
