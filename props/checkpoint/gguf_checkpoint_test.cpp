// What a GGUF file says reaches the model: shape, tensors in every storage, ends of generation, tokenizer.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <utility>

#include "model/checkpoint/checkpoint.hpp"
#include "props/checkpoint/build_files.hpp"
#include "props/checkpoint/read_back.hpp"
#include "props/default_model.hpp"
#include "props/rejection.hpp"
#include "props/temporary_folder.hpp"

namespace {

using namespace lawful::props;
using lawful::kernels::Storage;
using lawful::model::Checkpoint;

const TestModel& tiny() {
  static const TestModel model = make_test_model(lawful::model::tiny::config, 1);
  return model;
}

std::string refused(const GgufImage& image) {
  const TemporaryFolder folder;
  const auto path = folder.file("m.gguf", image.bytes());
  return rejection([&] { Checkpoint::open(path).tokenizer(); });
}

std::string refused_with(std::string_view key, const std::string& value) {
  GgufImage image = gguf_image(tiny());
  image.set(key, value);
  return refused(image);
}

std::string refused_without(std::string_view key) {
  GgufImage image = gguf_image(tiny());
  image.remove(key);
  return refused(image);
}

/// A model with rows of 256 values, so that the block types of 256 occur.
constexpr lawful::model::Config wide{"wide", 2, 2, 32, 256, 1, 256, 64, 10000.0, 1e-5F};

}  // namespace

TEST_CASE("every storage gives the values that were stored") {
  const TemporaryFolder folder;
  const TestModel model = make_test_model(wide, 7);
  for (std::size_t s = 0; s < lawful::kernels::block_shapes.size(); ++s) {
    const auto storage = static_cast<Storage>(s);
    CAPTURE(lawful::kernels::block_shape(storage).name);
    const auto path = folder.file("m.gguf", gguf_image(model, {storage, 3, 32}).bytes());
    const Checkpoint checkpoint = Checkpoint::open(path);
    CHECK(checkpoint.find("model.layers.0.mlp.up_proj.weight")->storage == storage);
    CHECK(holds(checkpoint, model));
    CHECK_FALSE(holds(checkpoint, make_test_model(wide, 8)));
  }
}

TEST_CASE("Q and K rows are un-permuted, each with its own number of heads, and no other rows are") {
  const TemporaryFolder folder;
  const auto path = folder.file("m.gguf", gguf_image(tiny()).bytes());
  const Checkpoint checkpoint = Checkpoint::open(path);
  for (const auto& tensor : checkpoint.tensors()) {
    const bool rotated = tensor.name.ends_with("q_proj.weight") || tensor.name.ends_with("k_proj.weight");
    CHECK((tensor.row_order == lawful::kernels::RowOrder::interleaved_pairs) == rotated);
  }
  CHECK(holds(checkpoint, tiny()));
}

TEST_CASE("versions 2 and 3, and alignments from 1 on") {
  const TemporaryFolder folder;
  for (const std::uint32_t version : {2U, 3U}) {
    for (const std::uint32_t alignment : {1U, 2U, 32U, 4096U}) {
      const auto path = folder.file("m.gguf", gguf_image(tiny(), {Storage::q4_1, version, alignment}).bytes());
      const Checkpoint checkpoint = Checkpoint::open(path);
      CHECK(checkpoint.format() == "GGUF v" + std::to_string(version));
      CHECK(holds(checkpoint, tiny()));
    }
  }
}

TEST_CASE("the last tensor may end the file without its padding") {
  GgufImage image = gguf_image(tiny(), {Storage::q4_1, 3, 4096});
  const TemporaryFolder folder;
  std::string bytes = image.bytes();
  const std::size_t last = image.tensors.back().data.size();
  REQUIRE(last % 4096 != 0);
  bytes.resize(bytes.size() - (4096 - last % 4096));
  CHECK(holds(Checkpoint::open(folder.file("m.gguf", bytes)), tiny()));
}

TEST_CASE("the shape is what the keys say") {
  const TemporaryFolder folder;
  const auto path = folder.file("m.gguf", gguf_image(tiny()).bytes());
  const auto shape = Checkpoint::open(path).shape();
  CHECK(shape == lawful::model::Shape{2, 192, 6, 2, 32, 160, 256, 64, 10000.0, 1e-5F, true});
}

TEST_CASE("an output matrix is used if there is one; without it the embedding is tied") {
  const TemporaryFolder folder;
  const TestModel untied = make_test_model(lawful::model::tiny::config, 1, false);
  const auto path = folder.file("m.gguf", gguf_image(untied).bytes());
  const Checkpoint checkpoint = Checkpoint::open(path);
  CHECK_FALSE(checkpoint.shape().tied);
  CHECK(holds(checkpoint, untied));
}

TEST_CASE("absent keys take llama.cpp's defaults") {
  const TemporaryFolder folder;
  GgufImage image = gguf_image(tiny());
  image.remove("llama.attention.head_count_kv");
  image.remove("llama.rope.freq_base");
  image.remove("llama.vocab_size");
  const auto path = folder.file("m.gguf", image.bytes());
  const Checkpoint checkpoint = Checkpoint::open(path);
  CHECK(checkpoint.shape().kv_heads == 6);
  CHECK(checkpoint.shape().theta == 10000.0);
  CHECK(checkpoint.shape().vocab == 256);
  REQUIRE(checkpoint.warnings().size() == 1);
  CHECK(contains(checkpoint.warnings()[0], "llama.rope.freq_base"));
}

TEST_CASE("a generation ends at the ids that keys name and at known end tokens") {
  const TemporaryFolder folder;
  GgufImage image = gguf_image(tiny());
  const auto eos = [&] { return Checkpoint::open(folder.file("m.gguf", image.bytes())).eos(); };
  CHECK(eos() == std::vector<std::uint32_t>{0, 2});
  image.set("tokenizer.ggml.eot_token_id", gguf_u32(1));
  CHECK(eos() == std::vector<std::uint32_t>{0, 1, 2});
  image.set("lawful.end_of_generation_ids", gguf_i32s({9, 2, 9}));
  CHECK(eos() == std::vector<std::uint32_t>{2, 9});
  for (const std::int32_t outside : {-1, 256}) {
    CHECK(contains(refused_with("lawful.end_of_generation_ids", gguf_i32s({0, outside})),
                   fmt::format("lawful.end_of_generation_ids: expected ids below 256, found {}", outside)));
  }
}

TEST_CASE("the settings of sampling: none without a key, what the keys leave out as in generation_config.json") {
  using lawful::model::Sampling;
  const auto sampling = [](std::initializer_list<std::pair<const char*, std::string>> keys) {
    GgufImage image = gguf_image(tiny());
    for (const auto& [key, value] : keys) image.set(std::string("general.sampling.") + key, value);
    const TemporaryFolder folder;
    return Checkpoint::open(folder.file("m.gguf", image.bytes())).sampling();
  };
  CHECK_FALSE(sampling({}).has_value());
  CHECK(sampling({{"top_k", gguf_u32(7)}}) == Sampling{1.0, 7, 1.0, 0.0, 1.0});
  CHECK(sampling({{"temp", gguf_f32(0.2F)}, {"top_p", gguf_f32(0.9F)}, {"min_p", gguf_f32(0.05F)},
                  {"penalty_repeat", gguf_f32(1.1F)}}) == Sampling{0.2, 50, 0.9, 0.05, 1.1});
  CHECK(sampling({{"temp", gguf_f32(0.0F)}, {"top_p", gguf_f32(0.5F)}}) == Sampling{});
  const std::pair<const char*, float> wrong[] = {{"temp", -1.0F}, {"temp", NAN}, {"temp", INFINITY}, {"top_p", 0.0F},
                                                 {"top_p", 1.5F}, {"min_p", -0.1F}, {"penalty_repeat", 0.0F}};
  for (const auto& [key, value] : wrong) {
    const std::string name = std::string("general.sampling.") + key;
    CHECK(contains(refused_with(name, gguf_f32(value)), name + ": expected a number from"));
  }
}

TEST_CASE("another kind of model is refused by its key") {
  CHECK(contains(refused_with("general.architecture", gguf_string("qwen2")),
                 "general.architecture: expected 'llama', found 'qwen2'"));
  CHECK(contains(refused_without("general.architecture"), "general.architecture: expected 'llama', found no such key"));
  CHECK(contains(refused_with("general.type", gguf_string("adapter")), "expected 'model', found 'adapter'"));
  CHECK(contains(refused_with("split.count", gguf_u32(3)), "split.count: expected a whole model in one file"));
  CHECK(contains(refused_with("llama.expert_count", gguf_u32(8)), "llama.expert_count: expected 0, found 8"));
  CHECK(contains(refused_with("llama.rope.scaling.type", gguf_string("yarn")), "expected 'none', found 'yarn'"));
  CHECK(contains(refused_with("llama.rope.scaling.factor", gguf_f32(2.0F)), "expected 1, found 2"));
  CHECK(contains(refused_with("llama.attention.causal", gguf_bool(false)), "expected true, found false"));
  CHECK(contains(refused_with("llama.attention.sliding_window", gguf_u32(512)), "expected 0, found 512"));
  CHECK(contains(refused_with("llama.attention.key_length", gguf_u32(64)), "rope.dimension_count: expected 64"));
  CHECK(contains(refused_with("llama.logit_scale", gguf_f32(2.0F)), "llama.logit_scale: expected only keys of"));
  CHECK(contains(refused_with("llama.rope.dimension_count", gguf_u32(16)), "expected 32, found 16"));
  CHECK(contains(refused_with("llama.vocab_size", gguf_u32(255)), "llama.vocab_size: expected 256, found 255"));
}

TEST_CASE("sizes of zero, absurd sizes and numbers of another type are refused") {
  for (const auto* key : {"llama.block_count", "llama.embedding_length", "llama.attention.head_count",
                          "llama.feed_forward_length", "llama.context_length", "llama.attention.head_count_kv"}) {
    CAPTURE(key);
    CHECK(contains(refused_with(key, gguf_u32(0)), std::string(key) + ": expected 1 to 4294967295, found 0"));
    CHECK(contains(refused_with(key, gguf_u64(~std::uint64_t{0})),
                   "expected 1 to 4294967295, found 18446744073709551615"));
    CHECK(contains(refused_with(key, gguf_i32(-1)), "expected an unsigned integer, found INT32"));
    CHECK(contains(refused_with(key, gguf_string("9")), "expected an unsigned integer, found STRING"));
    CHECK(contains(refused_with(key, gguf_i32s({9})), "expected an unsigned integer, found an array of INT32"));
  }
  CHECK(contains(refused_without("llama.block_count"),
                 "llama.block_count: expected an unsigned integer, found no such key"));
  CHECK(contains(refused_with("llama.rope.freq_base", gguf_f32(0.0F)), "expected a positive number, found 0"));
  CHECK(contains(refused_with("llama.rope.freq_base", gguf_f32(-1.0F)), "expected a positive number"));
  CHECK(contains(refused_with("llama.rope.freq_base", gguf_f64(1.0 / 0.0)), "expected a positive number, found inf"));
  CHECK(contains(refused_with("llama.attention.layer_norm_rms_epsilon", gguf_f32(0.0F / 0.0F)), "positive number"));
  CHECK(contains(refused_with("llama.attention.layer_norm_rms_epsilon", gguf_f64(1e300)),
                 "between 0 and 1, found 1e+300"));
  CHECK(contains(refused_without("llama.attention.layer_norm_rms_epsilon"), "expected a number, found no such key"));
}

TEST_CASE("another kind of tokenizer is refused by its key") {
  CHECK(contains(refused_with("tokenizer.ggml.model", gguf_string("llama")), "expected 'gpt2', found 'llama'"));
  for (const auto* pre : {"default", "llama-bpe", "gpt-2", "SMOLLM", ""}) {
    CHECK(contains(refused_with("tokenizer.ggml.pre", gguf_string(pre)), "tokenizer.ggml.pre: expected 'smollm'"));
  }
  CHECK(contains(refused_without("tokenizer.ggml.pre"), "expected 'smollm', found no such key"));
  CHECK(contains(refused_with("tokenizer.ggml.add_bos_token", gguf_bool(true)), "expected false, found true"));
  CHECK(contains(refused_without("tokenizer.ggml.merges"), "tokenizer.ggml.merges: expected an array of STRING"));
  CHECK(contains(refused_with("tokenizer.ggml.merges", gguf_strings({})), "expected at least one string, found none"));
  CHECK(contains(refused_with("tokenizer.ggml.merges", gguf_i32s({1, 2})),
                 "expected an array of STRING, found an array"));
  CHECK(refused_with("tokenizer.ggml.merges", gguf_strings({"nogap"})) != "");
  CHECK(refused_with("tokenizer.ggml.merges", gguf_strings({"q z"})) != "");  // its result is no token
}

TEST_CASE("token types: one for each token, INT32, normal or control") {
  const auto count = test_vocabulary().tokens.size();
  CHECK(contains(refused_without("tokenizer.ggml.token_type"), "expected an array of INT32, found no such key"));
  CHECK(contains(refused_with("tokenizer.ggml.token_type", gguf_u8s(std::vector<std::uint8_t>(count, 1))),
                 "expected an array of INT32, found an array of UINT8"));
  CHECK(contains(refused_with("tokenizer.ggml.token_type", gguf_i32s(std::vector<std::int32_t>(count - 1, 1))),
                 "expected 256 types, one for each token, found 255"));
  CHECK(contains(refused_with("tokenizer.ggml.token_type", gguf_i32s(std::vector<std::int32_t>(count, 6))),
                 "of token 0: expected 1 (normal) or 3 (control), found 6"));
}

TEST_CASE("special ids outside the vocabulary are refused") {
  for (const auto* key : {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                          "tokenizer.ggml.eom_token_id", "tokenizer.ggml.unknown_token_id",
                          "tokenizer.ggml.padding_token_id", "tokenizer.ggml.seperator_token_id",
                          "tokenizer.ggml.mask_token_id", "tokenizer.ggml.cls_token_id",
                          "tokenizer.ggml.fim_pre_token_id", "tokenizer.ggml.fim_suf_token_id",
                          "tokenizer.ggml.fim_mid_token_id", "tokenizer.ggml.fim_pad_token_id",
                          "tokenizer.ggml.fim_rep_token_id", "tokenizer.ggml.fim_sep_token_id"}) {
    CAPTURE(key);
    CHECK(contains(refused_with(key, gguf_u32(256)), std::string(key) + ": expected an id below 256, found 256"));
    CHECK(contains(refused_with(key, gguf_u32(4294967295U)), "found 4294967295"));
    CHECK(contains(refused_with(key, gguf_i32(-1)), "expected an unsigned integer, found INT32"));
  }
}

TEST_CASE("a chat template that is no text is refused") {
  CHECK(contains(refused_with("tokenizer.chat_template", gguf_string("{{\xE9}}")),
                 "tokenizer.chat_template: expected valid UTF-8, found byte E9 at offset 2"));
}

TEST_CASE("a tensor that no Llama has is refused by name") {
  for (const auto* name : {"blk.0.attn_q.bias", "rope_freqs.weight", "blk.00.attn_q.weight", "blk..attn_q.weight",
                           "blk.0.attn_q.weight.weight", "blk.123456.attn_q.weight", "blk.-1.attn_q.weight"}) {
    GgufImage image = gguf_image(tiny());
    image.tensors.push_back({name, {32}, 0, std::string(128, '\0'), std::nullopt});
    CHECK(contains(refused(image), "expected only the tensors of a plain Llama, found tensor '" + std::string(name)));
  }
}

TEST_CASE("the default model") {
  const Checkpoint checkpoint = Checkpoint::open(default_model());
  CHECK(checkpoint.shape() == lawful::model::Shape{30, 576, 9, 3, 64, 1536, 49152, 8192, 100000.0, 1e-5F, true});
  CHECK(checkpoint.format() == "GGUF v3");
  CHECK(checkpoint.eos() == std::vector<std::uint32_t>{0, 2});
  CHECK(checkpoint.tensors().size() == 272);
  CHECK(checkpoint.warnings().empty());
  CHECK(checkpoint.tokenizer().size() == 49152);
  REQUIRE(checkpoint.chat_template().has_value());
  CHECK(contains(*checkpoint.chat_template(), "You are a helpful AI assistant named SmolLM"));
}
