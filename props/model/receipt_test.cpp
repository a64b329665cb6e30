// Receipts: the same for every way to generate and to verify; and each thing that is not as it was is named.
#include "model/receipt.hpp"
#include "props/kernels/settings.hpp"
#include "props/model/tiny.hpp"
#include "props/rejection.hpp"

namespace {

using namespace lawful::props;
namespace model = lawful::model;

const Tiny& tiny() {
  static const Tiny one = tiny_gguf(tiny_weights());
  return one;
}

void nothing(std::size_t) {}

model::Receipt make(const Tiny& tiny, const Ids& prompt, model::Limits limits, std::size_t context = 64) {
  auto sequence = tiny.model->sequence(context);
  model::Receipt r{std::string(tiny.model->config().name), model::file_digests(*tiny.checkpoint), prompt, {}, limits.eos,
                   limits.tokens, context, {}, limits.sampling};
  model::ReceiptChain chain(r);
  limits.chosen_from = [&](std::span<const float> row, std::uint32_t) { r.steps.push_back(chain.add(row)); };
  auto logits = model::prefill(*sequence, prompt, 16, nothing);
  const auto made = model::generate(*sequence, prompt, std::move(logits), limits, [](std::uint32_t) {});
  r.ids = made.ids;
  r.stop = model::name(made.stop);
  return r;
}

void verify(const model::Receipt& r, const Tiny& with = tiny(), std::size_t chunk = 16) {
  auto sequence = with.model->sequence(r.context == 0 ? 1 : r.context);
  model::verify(r, with.model->config(), model::file_digests(*with.checkpoint), *sequence, chunk, nothing);
}

std::string failure(const model::Receipt& r) {
  try {
    verify(r);
  } catch (const lawful::io::Failure& error) {
    return error.what();
  }
  return "";
}

const Ids prompt = {5, 17, 200, 17, 5, 99};

}  // namespace

TEST_CASE("a receipt verifies on every setting and in pieces of any size, guesses or not") {
  const auto r = make(tiny(), prompt, {12, {}});
  CHECK(r.steps.size() == 12);
  on_every_setting([&] {
    for (const std::size_t chunk : {1, 5, 64}) CHECK_NOTHROW(verify(r, tiny(), chunk));
    CHECK(make(tiny(), prompt, {12, {}}).steps == r.steps);
    CHECK(make(tiny(), prompt, {12, {}, model::Guessing::always}).steps == r.steps);
  });
}

TEST_CASE("a drawn text verifies; with another seed or temperature it is another receipt") {
  model::Limits limits{12, {}};
  limits.sampling = {0.9, 40, 0.95, 0.01, 1.1, 7};
  const auto r = make(tiny(), prompt, limits);
  const auto back = model::read_receipt(model::to_json(r), "r");
  CHECK(back.sampling == limits.sampling);
  for (const std::size_t chunk : {1, 5, 64}) CHECK_NOTHROW(verify(back, tiny(), chunk));
  limits.guessing = model::Guessing::always;
  CHECK(make(tiny(), prompt, limits).steps == r.steps);
  const auto changed = [&](auto change) {
    auto other = r;
    change(other.sampling);
    return failure(other);
  };
  CHECK(contains(changed([](auto& s) { s.seed = 8; }), "step 0"));  // the chain begins with the settings
  CHECK(contains(changed([](auto& s) { s.temperature = 0.0; }), "step 0"));
  auto id = r;  // the settings and bits as they were, and an id that was not drawn
  id.ids.back() ^= 1U;
  CHECK(contains(failure(id), "step 11 (position 17): expected the id"));
}

TEST_CASE("a text that ended with a stop text verifies, and no other may say so") {
  auto r = make(tiny(), prompt, {12, {}});
  r.ids.resize(5);
  r.steps.resize(5);
  r.stop = "stop";
  CHECK_NOTHROW(verify(r));
  r.ids.clear();
  r.steps.clear();
  CHECK(contains(rejection([&] { verify(r); }), "receipt: stop"));
}

TEST_CASE("texts that end in each of the ways verify") {
  const auto full = make(tiny(), prompt, {100, {}}, 16);
  CHECK(full.stop == "context");
  CHECK(full.ids.size() == 11);
  CHECK_NOTHROW(verify(full));
  const auto ended = make(tiny(), prompt, {100, {full.ids[4], 3}}, 16);
  CHECK(ended.stop == "eos");
  CHECK(ended.steps.size() == ended.ids.size() + 1);
  CHECK_NOTHROW(verify(ended));
  const auto none = make(tiny(), prompt, {0, {}});
  CHECK(none.steps.empty());
  CHECK_NOTHROW(verify(none));
}

TEST_CASE("writing and reading gives the receipt back") {
  const auto r = make(tiny(), prompt, {5, {0, 2}});
  const std::string text = model::to_json(r);
  const auto back = model::read_receipt(text, "r");
  CHECK(model::to_json(back) == text);
  CHECK_NOTHROW(verify(back));
}

TEST_CASE("the first step that differs is named") {
  const auto good = make(tiny(), prompt, {8, {}});
  for (std::size_t step = 0; step < 8; ++step) {
    auto r = good;
    r.steps[step][63] = r.steps[step][63] == '0' ? '1' : '0';
    CHECK(contains(failure(r), fmt::format("step {} (position {})", step, prompt.size() + step)));
  }
  for (std::size_t step = 0; step + 1 < 8; ++step) {  // another id: it was not chosen, and all later logits differ
    auto r = good;
    r.ids[step] ^= 1U;
    CHECK(contains(failure(r), fmt::format("step {} (position {}): expected the id", step, prompt.size() + step)));
  }
  auto other_prompt = good;
  other_prompt.prompt[2] ^= 1U;
  CHECK(contains(failure(other_prompt), "step 0"));
}

TEST_CASE("other weights, another model and settings that were not so are refused") {
  const auto good = make(tiny(), prompt, {8, {0}});
  CHECK(contains(rejection([&] { verify(good, tiny_gguf(tiny_weights(9))); }), "the model's files"));
  const auto changed = [&](auto change) {
    auto r = good;
    change(r);
    return rejection([&] { verify(r); });
  };
  CHECK(contains(changed([](auto& r) { r.model = "other"; }), "receipt: model"));
  CHECK(contains(changed([](auto& r) { r.steps.pop_back(); }), "receipt: steps: expected 8, found 7"));
  CHECK(contains(changed([](auto& r) { r.stop = "eos"; }), "receipt: steps"));
  CHECK(contains(changed([](auto& r) { r.stop = "context"; }), "receipt: stop"));
  CHECK(contains(changed([](auto& r) { r.stop = "tired"; }), "receipt: stop"));
  CHECK(contains(changed([](auto& r) { r.tokens = 9; }), "receipt: stop"));
  CHECK(contains(changed([](auto& r) { r.context = 4; }), "receipt: stop"));
  CHECK(contains(changed([](auto& r) { r.prompt.clear(); }), "receipt: prompt_ids"));
  CHECK(contains(changed([](auto& r) { r.eos = {r.ids[3]}; }), "receipt: ids"));
  auto context = good;
  context.context = 60;  // the chain begins with the settings
  CHECK(contains(failure(context), "step 0"));
}

TEST_CASE("what is no receipt is refused by field") {
  const std::string text = model::to_json(make(tiny(), prompt, {2, {}}));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string changed = text;
    const auto at = changed.find(from);
    REQUIRE(at != std::string::npos);
    changed.replace(at, from.size(), to);
    return rejection([&] { model::read_receipt(changed, "file"); });
  };
  CHECK(contains(with("receipt 2", "receipt 1"), "file: format"));
  CHECK(contains(with("\"model\":", "\"modle\":"), "file: expected a field \"model\""));
  CHECK(contains(with("\"ids\":[", "\"ids\":[-1,"), "file: ids"));
  CHECK(contains(with("\"prompt_ids\":[5", "\"prompt_ids\":[4294967296"), "file: prompt_ids"));
  CHECK(contains(with("\"tokens\":2", "\"tokens\":2.5"), "file: tokens"));
  CHECK(contains(with("\"steps\":[\"", "\"steps\":[\"xyz"), "file: steps"));
  CHECK(contains(with("\"eos\":[]", "\"eos\":{}"), "file: eos"));
  CHECK(contains(with("\"top_p\":1.0", "\"top_p\":1.5"), "file: sampling: top_p"));
  CHECK(contains(with("\"top_p\":1.0,", ""), "file: sampling: expected a field \"top_p\""));
  CHECK(contains(with("\"seed\":0", "\"seed\":-1"), "file: sampling: seed"));
  CHECK(contains(with("\"stop_texts\":[]", "\"stop_texts\":[1]"), "file: stop_texts"));
  CHECK(rejection([&] { model::read_receipt("[]", "file"); }) == "file: expected an object, found array");
  CHECK(contains(rejection([&] { model::read_receipt(text.substr(0, text.size() / 2), "file"); }), "file"));
}
