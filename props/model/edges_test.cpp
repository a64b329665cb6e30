// The edges of a text: ties, the context's end, ids that are none.
#include "io/bad_input.hpp"
#include "model/generate.hpp"
#include "props/kernels/settings.hpp"
#include "props/model/tiny.hpp"

#include <algorithm>
#include <limits>

namespace {

using namespace lawful::props;
namespace model = lawful::model;

constexpr std::size_t context = model::tiny::config.context;

const Tiny& tiny() {
  static const Tiny one = tiny_gguf(tiny_weights());
  return one;
}

void nothing(std::size_t) {}

}  // namespace

TEST_CASE("of equal logits the lowest id is chosen, wherever they lie") {
  std::vector<float> logits(300, 1.0F);
  CHECK(model::argmax(logits) == 0);
  logits[299] = logits[16] = logits[15] = 2.0F;
  CHECK(model::argmax(logits) == 15);
  logits[299] = 3.0F;
  CHECK(model::argmax(logits) == 299);
  CHECK(model::argmax(std::vector<float>{-0.0F, 0.0F}) == 0);
  CHECK(model::argmax(std::vector<float>(40, std::numeric_limits<float>::lowest())) == 0);
}

TEST_CASE("a logit that is no finite number is an error wherever it lies, never a choice") {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()})
    for (const std::size_t at : {0, 1, 150, 299}) {
      std::vector<float> logits(300, 1.0F);
      logits[at] = bad;
      CHECK_THROWS_AS(model::argmax(logits), lawful::io::Failure);
    }
}

TEST_CASE("rows of the embedding that are equal give equal logits, and the lower id is generated") {
  TestModel weights = tiny_weights(5);
  auto& embedding = weights.tensors.front();
  REQUIRE(embedding.shape == std::vector<std::uint64_t>{256, 96 * 2});
  const Ids prompt = random_ids(5, 51);
  const auto next = [&] {
    const Tiny made = tiny_gguf(weights);
    auto sequence = made.sequence();
    return model::argmax(model::prefill(*sequence, prompt, 64, nothing).row(0));
  };
  const std::uint32_t best = next();
  const std::size_t cols = embedding.shape[1];
  const auto copy_row = [&](std::size_t from, std::size_t to) {
    for (std::size_t k = 0; k < cols; ++k) embedding.q[to * cols + k] = embedding.q[from * cols + k];
    for (std::size_t b = 0; b < cols / 32; ++b) embedding.s[to * cols / 32 + b] = embedding.s[from * cols / 32 + b];
  };
  const std::uint32_t twin = best == 200 ? 201 : 200;
  REQUIRE(std::find(prompt.begin(), prompt.end(), twin) == prompt.end());
  copy_row(best, twin);
  CHECK(next() == std::min(best, twin));
}

TEST_CASE("the first token beyond the context is a clear stop, at every cut and context") {
  for (const std::size_t positions : {std::size_t{1}, std::size_t{2}, std::size_t{15}, std::size_t{16}, context}) {
    const Ids ids = random_ids(positions + 1, 52);
    auto sequence = tiny().model->sequence(positions);
    CHECK_THROWS_AS(sequence->append(ids, 1), lawful::io::BadInput);
    CHECK(sequence->length() == 0);
    const auto logits = values(sequence->append(std::span(ids).first(positions), 1));
    CHECK(sequence->left() == 0);
    CHECK_THROWS_AS(sequence->append(std::span(ids).last(1), 1), lawful::io::BadInput);
    CHECK(sequence->length() == positions);
    sequence->truncate(positions - 1);
    check_bits(values(sequence->append(std::span(ids).subspan(positions - 1, 1), 1)), logits);
  }
}

TEST_CASE("a generation that fills the context says so, with one id more than there are positions left") {
  for (const std::size_t positions : {1, 15, 16, 17}) {
    const Ids prompt = random_ids(positions, 53);
    auto sequence = tiny().model->sequence(16);
    if (positions > 16) {
      CHECK_THROWS_AS(model::prefill(*sequence, prompt, 4, nothing), lawful::io::BadInput);
      CHECK(sequence->length() == 0);
      continue;
    }
    auto logits = model::prefill(*sequence, prompt, 4, nothing);
    const auto made = model::generate(*sequence, {}, std::move(logits), {1000, {}}, [](std::uint32_t) {});
    CHECK(made.stop == model::Stop::context);
    CHECK(made.ids.size() == 16 - positions + 1);
    CHECK(sequence->left() == 0);
  }
}

TEST_CASE("no ids, and ids that the vocabulary lacks, are refused and change nothing") {
  auto sequence = tiny().sequence();
  const Ids before = random_ids(3, 54);
  sequence->append(before, 0);
  CHECK_THROWS_AS(sequence->append({}, 0), lawful::io::BadInput);
  for (const std::uint32_t id : {256U, 49152U, 0x7fffffffU, 0xffffffffU}) {
    const Ids ids{1, id};
    CHECK_THROWS_AS(sequence->append(ids, 1), lawful::io::BadInput);
  }
  CHECK(sequence->length() == 3);
}
