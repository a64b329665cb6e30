// What a sequence has computed depends on its ids alone: not on how they were cut into calls, on the machine's
// settings, on what was computed before or beside it, or on how the weights are stored. All comparisons are of bits.
#include "io/bad_input.hpp"
#include "model/generate.hpp"
#include "props/kernels/plain.hpp"
#include "props/kernels/settings.hpp"
#include "props/model/tiny.hpp"
#include "props/property.hpp"

#include "kernels/rope.hpp"

#include <algorithm>
#include <map>

namespace {

using namespace lawful::props;
namespace kernels = lawful::kernels;
namespace model = lawful::model;

constexpr std::size_t vocab = model::tiny::config.vocab, context = model::tiny::config.context;

const Tiny& tiny() {
  static const Tiny one = tiny_gguf(tiny_weights());
  return one;
}

std::vector<float> rows(const std::vector<float>& logits, std::size_t first, std::size_t count) {
  const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(first * vocab);
  return {begin, begin + static_cast<std::ptrdiff_t>(count * vocab)};
}

}  // namespace

TEST_CASE("a prompt gives the same bits whole, in pieces of any size, and token by token") {
  const Ids ids = random_ids(context, 31);
  const auto expected = whole(*tiny().model, ids);
  for (const std::size_t cut : {1, 2, 3, 5, 6, 7, 16, 17, 63}) {
    INFO("pieces of ", cut);
    check_bits(append_in(*tiny().sequence(), ids, {cut}), expected);
  }
  property("any cut of any prompt gives the bits of the whole", [] {
    const auto length = *rc::gen::inRange<std::size_t>(1, context + 1);
    const auto cut = rc::gen::inRange<std::size_t>(1, 20);
    const auto cuts = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::size_t>>(cut));
    const Ids prompt = random_ids(length, *rc::gen::arbitrary<std::uint32_t>());
    RC_CLASSIFY(cuts.size() == 1);
    RC_ASSERT(append_in(*tiny().sequence(), prompt, cuts) == whole(*tiny().model, prompt));
  }, 60);
}

TEST_CASE("all instruction sets and counts of threads give the same bits, whole and cut") {
  const Ids ids = random_ids(40, 32);
  const auto expected = whole(*tiny().model, ids);
  on_every_setting([&] {
    check_bits(whole(*tiny().model, ids), expected);
    check_bits(append_in(*tiny().sequence(), ids, {7, 1, 1, 16}), expected);
  });
}

TEST_CASE("the settings may change in the middle of a text") {
  const Ids ids = random_ids(40, 33);
  const auto expected = whole(*tiny().model, ids);
  auto sequence = tiny().sequence();
  std::vector<float> found;
  std::size_t at = 0;
  on_every_setting([&] {
    if (at + 3 > ids.size()) return;
    const auto piece = append_in(*sequence, std::span(ids).subspan(at, 3), {3});
    found.insert(found.end(), piece.begin(), piece.end());
    at += 3;
  });
  check_bits(found, rows(expected, 0, at));
}

TEST_CASE("decoding with the cache equals computing the whole text again for every token") {
  const Ids ids = random_ids(24, 34);
  auto sequence = tiny().sequence();
  for (std::size_t n = 1; n <= ids.size(); ++n) {
    const auto cached = values(sequence->append(std::span(ids).subspan(n - 1, 1), 1));
    check_bits(cached, values(tiny().sequence()->append(std::span(ids).first(n), 1)));
  }
}

TEST_CASE("another token leaves the logits of the positions before it as they were, and changes its own and later ones") {
  const Ids ids = random_ids(30, 35);
  const auto before = whole(*tiny().model, ids);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    Ids other = ids;
    other[k] = (other[k] + 1) % vocab;
    const auto after = whole(*tiny().model, other);
    check_bits(rows(after, 0, k), rows(before, 0, k));
    for (std::size_t row = k; row < ids.size(); ++row) CHECK(rows(after, row, 1) != rows(before, row, 1));
  }
}

TEST_CASE("only the wanted rows are given, and they are those of the whole") {
  const Ids ids = random_ids(20, 36);
  const auto expected = whole(*tiny().model, ids);
  for (const std::size_t wanted : {0, 1, 2, 7, 19, 20}) {
    const auto logits = tiny().sequence()->append(ids, wanted);
    CHECK(logits.rows() == wanted);
    check_bits(values(logits), rows(expected, ids.size() - wanted, wanted));
  }
}

TEST_CASE("a text taken back to any length and continued otherwise equals the other text computed afresh") {
  property("truncate, then continue", [] {
    const auto kept = *rc::gen::inRange<std::size_t>(0, 30), first = *rc::gen::inRange<std::size_t>(kept, 31);
    const auto more = *rc::gen::inRange<std::size_t>(1, 30);
    const auto seed = *rc::gen::arbitrary<std::uint32_t>();
    RC_CLASSIFY(kept == 0, "nothing kept");
    RC_CLASSIFY(kept == first, "nothing forgotten");
    const Ids one = random_ids(first, seed), other = random_ids(more, seed + 1);
    auto sequence = tiny().sequence();
    if (first > 0) sequence->append(one, 1);
    sequence->truncate(kept);
    RC_ASSERT(sequence->length() == kept);
    Ids text(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(kept));
    text.insert(text.end(), other.begin(), other.end());
    RC_ASSERT(append_in(*sequence, other, {5}) == rows(whole(*tiny().model, text), kept, more));
  }, 60);
}

TEST_CASE("a generation goes on after more text as if all of it had been the prompt") {
  const Ids prompt = random_ids(9, 37), more = random_ids(6, 38);
  const auto go_on = [](model::Sequence& sequence, const Ids& ids, std::size_t chunk) {
    auto logits = model::prefill(sequence, ids, chunk, [](std::size_t) {});
    return model::generate(sequence, {}, std::move(logits), {8, {}}, [](std::uint32_t) {}).ids;
  };
  auto sequence = tiny().sequence();
  Ids text = prompt;
  const Ids made = go_on(*sequence, prompt, 4);
  text.insert(text.end(), made.begin(), made.end());
  text.insert(text.end(), more.begin(), more.end());
  Ids rest(text.begin() + static_cast<std::ptrdiff_t>(sequence->length()), text.end());
  CHECK(sequence->length() == prompt.size() + made.size() - 1);
  CHECK(go_on(*sequence, rest, 3) == go_on(*tiny().sequence(), text, 64));
}

TEST_CASE("texts side by side do not influence each other, nor does one that went before") {
  const Ids one = random_ids(20, 39), two = random_ids(20, 40);
  const auto expected_one = whole(*tiny().model, one), expected_two = whole(*tiny().model, two);
  auto first = tiny().sequence(), second = tiny().sequence();
  std::vector<float> found_one, found_two;
  for (std::size_t at = 0; at < one.size(); at += 4) {
    for (const float x : append_in(*first, std::span(one).subspan(at, 4), {3})) found_one.push_back(x);
    for (const float x : append_in(*second, std::span(two).subspan(at, 4), {4})) found_two.push_back(x);
  }
  check_bits(found_one, expected_one);
  check_bits(found_two, expected_two);
}

TEST_CASE("a shorter context gives the same bits") {
  const Ids ids = random_ids(20, 41);
  check_bits(append_in(*tiny().model->sequence(20), ids, {6}), whole(*tiny().model, ids));
}

TEST_CASE("a new token's position is the number of tokens before it") {
  constexpr auto half = model::tiny::config.half;
  const auto table = kernels::inverse_frequencies<half>(model::tiny::config.theta);
  const std::vector<float> frequency(table.begin(), table.end());
  const Ids ids = random_ids(25, 42);
  auto sequence = tiny().sequence();
  std::map<std::string, std::vector<float>, std::less<>> seen;
  const model::Watcher watcher = [&](std::size_t, std::string_view name, std::size_t, std::size_t,
                                     std::span<const float> v) {
    seen[std::string(name)].assign(v.begin(), v.end());
  };
  for (std::size_t at = 0, piece = 1; at < ids.size(); at += piece, ++piece) {
    piece = std::min(piece, ids.size() - at);
    CHECK(sequence->length() == at);
    sequence->append(std::span(ids).subspan(at, piece), 0, watcher);
    check_bits(seen.at("qr"), plain_rope(seen.at("q"), model::tiny::config.heads(), frequency, at));
    check_bits(seen.at("kr"), plain_rope(seen.at("k"), model::tiny::config.kv_heads, frequency, at));
  }
}

TEST_CASE("being watched changes nothing") {
  const Ids ids = random_ids(12, 43);
  std::size_t calls = 0;
  const model::Watcher count = [&](std::size_t, std::string_view, std::size_t, std::size_t, std::span<const float>) {
    ++calls;
  };
  const auto logits = tiny().sequence()->append(ids, ids.size(), count);
  CHECK(calls == 2 * 11);
  check_bits(values(logits), whole(*tiny().model, ids));
}

TEST_CASE("the same weights give the same bits in every storage and format") {
  const TestModel weights = tiny_weights(2);
  const Ids ids = random_ids(30, 44);
  const auto expected = whole(*tiny_folder(weights, kernels::Storage::f32).model, ids);
  for (const auto storage : {kernels::Storage::f16, kernels::Storage::bf16}) {
    INFO(std::string(kernels::block_shape(storage).name), ", safetensors");
    check_bits(whole(*tiny_folder(weights, storage).model, ids), expected);
  }
  for (const auto& shape : kernels::block_shapes) {
    INFO(std::string(shape.name), ", GGUF");
    const auto storage = static_cast<kernels::Storage>(&shape - kernels::block_shapes.data());
    const Tiny stored = tiny_gguf(weights, storage);
    check_bits(whole(*stored.model, ids), expected);
    check_bits(append_in(*stored.sequence(), ids, {1}), expected);
  }
}

TEST_CASE("other weights give other bits") {
  const Ids ids = random_ids(4, 45);
  CHECK(whole(*tiny_gguf(tiny_weights(3)).model, ids) != whole(*tiny_gguf(tiny_weights(4)).model, ids));
}
