// Folders in the Hugging Face layout: storages, shards, tied and untied heads, companions.
#include <doctest/doctest.h>

#include <ctime>
#include <nlohmann/json.hpp>

#include "model/checkpoint/checkpoint.hpp"
#include "props/checkpoint/build_files.hpp"
#include "props/checkpoint/read_back.hpp"
#include "props/rejection.hpp"
#include "props/temporary_folder.hpp"

namespace {

using namespace lawful::props;
using lawful::kernels::Storage;
using lawful::model::Checkpoint;
using Json = nlohmann::json;

TestModel tiny(bool tied = true) { return make_test_model(lawful::model::tiny::config, 1, tied); }

/// A folder of the tiny model, to be changed by a test.
struct Folder {
  explicit Folder(const FolderOptions& options = {}, const TestModel& model = tiny()) {
    write_folder(model, path(), options);
  }
  const std::filesystem::path& path() const { return folder.path(); }
  void write(std::string_view name, const Json& json) const { folder.file(name, json.dump()); }
  Checkpoint open() const { return Checkpoint::open(path()); }
  std::string refused() const {
    return rejection([&] { open().tokenizer(); });
  }
  Json index() const {
    std::ifstream file(path() / "model.safetensors.index.json");
    return Json::parse(file);
  }
  std::string refused_with_shard(const std::string& tensor, const Json& shard) const {
    Json changed = index();
    changed["weight_map"][tensor] = shard;
    write("model.safetensors.index.json", changed);
    return refused();
  }
  TemporaryFolder folder;
};

/// The tiny model with an output matrix that is the embedding's copy.
TestModel with_equal_head() {
  TestModel model = tiny();
  model.tensors.push_back(model.tensors.front());
  model.tensors.back().name = "lm_head.weight";
  return model;
}

}  // namespace

TEST_CASE("every storage, at even and odd addresses, in one file and in shards, gives the values that were stored") {
  for (const auto storage : {Storage::f32, Storage::f16, Storage::bf16}) {
    for (const std::size_t spaces : {0U, 1U, 2U, 3U}) {
      for (const std::size_t shards : {1U, 2U, 5U}) {
        const Folder folder({storage, spaces, shards, false});
        const Checkpoint checkpoint = folder.open();
        CHECK(holds(checkpoint, tiny()));
        CHECK(checkpoint.find("model.norm.weight")->storage == storage);
        CHECK(checkpoint.tokenizer().size() == 256);
      }
    }
  }
}

TEST_CASE("a folder and a GGUF of one model say the same") {
  const Folder folder;
  const Checkpoint gguf = Checkpoint::open(folder.folder.file("m.gguf", gguf_image(tiny()).bytes()));
  const Checkpoint opened = folder.open();
  CHECK(opened.shape() == gguf.shape());
  CHECK(opened.eos() == gguf.eos());
  CHECK(opened.format() == "safetensors");
  const std::string text = "the ant and the hen are there, 12 times\n";
  CHECK(opened.tokenizer().encode(text) == gguf.tokenizer().encode(text));
}

TEST_CASE("a safetensors file is opened with what lies beside it") {
  const Folder folder;
  const Checkpoint checkpoint = Checkpoint::open(folder.path() / "model.safetensors");
  CHECK(holds(checkpoint, tiny()));
  CHECK(checkpoint.eos() == std::vector<std::uint32_t>{0, 2});
}

TEST_CASE("both spellings of merges give one tokenizer") {
  const std::string text = "the ant and the hen";
  CHECK(Folder({Storage::f16, 0, 1, true}).open().tokenizer().encode(text) ==
        Folder({Storage::f16, 0, 1, false}).open().tokenizer().encode(text));
}

TEST_CASE("tied and untied heads: used, shared or refused, never ignored") {
  const auto storage = FolderOptions{};
  CHECK(Folder(storage, tiny(true)).open().shape().tied);
  const Folder untied(storage, tiny(false));
  CHECK_FALSE(untied.open().shape().tied);
  CHECK(holds(untied.open(), tiny(false)));
  const Folder equal(storage, with_equal_head());
  CHECK(equal.open().shape().tied);
  CHECK(holds(equal.open(), tiny()));  // the copy is not needed: the embedding is the head

  TestModel contradiction = tiny(false);
  contradiction.tied = true;
  CHECK(contains(Folder(storage, contradiction).refused(),
                 "tensor 'lm_head.weight': expected the embedding's values, as tie_word_embeddings is true"));
  TestModel missing = tiny(true);
  missing.tied = false;
  CHECK(contains(Folder(storage, missing).refused(),
                 "expected tensor 'lm_head.weight', as tie_word_embeddings is false"));
}

TEST_CASE("the rotation buffers of old checkpoints are not tensors of the model") {
  TestModel model = tiny();
  model.tensors.push_back(
      {"model.layers.0.self_attn.rotary_emb.inv_freq", {32}, 0, std::vector<std::int8_t>(32, 1), {1}});
  CHECK(holds(Folder({}, model).open(), tiny()));
  CHECK(holds(Folder({Storage::f32, 0, 3, false}, model).open(), tiny()));
}

TEST_CASE("an index of many thousand tensors, of which the last is missing, is refused as soon as it is read") {
  const Folder folder({Storage::bf16, 0, 2, false});
  constexpr std::size_t many = 24'000;
  Json map{{"y", "a.safetensors"}};
  for (const std::string shard : {"a.safetensors", "b.safetensors", "c.safetensors"}) {
    Json header;
    for (std::size_t i = 0; i < many; ++i) {
      const std::string name = shard.substr(0, 1) + std::to_string(i);
      header[name] = {{"dtype", "F16"}, {"shape", {1}}, {"data_offsets", {2 * i, 2 * i + 2}}};
      map[name] = shard;
    }
    const std::string text = header.dump();
    const std::uint64_t size = text.size();
    const std::string length(reinterpret_cast<const char*>(&size), sizeof size);
    folder.folder.file(shard, length + text + std::string(2 * many, '\0'));
  }
  folder.write("model.safetensors.index.json", {{"weight_map", map}});
  const std::clock_t begin = std::clock();
  CHECK(contains(folder.refused(), "expected tensor 'y', as the index says, found none"));
  CHECK(std::clock() - begin < 3 * CLOCKS_PER_SEC);  // of the processor's time; a search for each tensor takes twice that
}

TEST_CASE("shards: plain names of files that are there, each tensor where the index says") {
  const Folder folder({Storage::bf16, 0, 2, false});
  const std::string norm = "model.norm.weight", embedding = "model.embed_tokens.weight";
  for (const auto* path : {"../x.safetensors", "/abs.safetensors", "a/../../b.safetensors", "./a.safetensors", "x.bin",
                           "", "..", "a\x00b/.safetensors"}) {
    CHECK(contains(folder.refused_with_shard(norm, path), "expected the plain name of a .safetensors file"));
  }
  CHECK(contains(folder.refused_with_shard(norm, std::string("a\0.safetensors", 14)), "expected the plain name"));
  CHECK(contains(folder.refused_with_shard(norm, 3), "expected the plain name of a .safetensors file, found 3"));
  CHECK(contains(folder.refused_with_shard(norm, "missing.safetensors"),
                 "missing.safetensors: expected a readable file"));
  CHECK(contains(folder.refused_with_shard(norm, "model-00001-of-00002.safetensors"),
                 "model-00002-of-00002.safetensors: expected only tensors that the index maps to it, found tensor"));
  const Folder extra({Storage::bf16, 0, 2, false});
  CHECK(contains(extra.refused_with_shard("model.layers.9.x", "model-00001-of-00002.safetensors"),
                 "expected tensor 'model.layers.9.x', as the index says, found none"));
  const Folder unmapped({Storage::bf16, 0, 2, false});
  Json index = unmapped.index();
  index["weight_map"].erase(embedding);
  unmapped.write("model.safetensors.index.json", index);
  CHECK(contains(unmapped.refused(), "expected only tensors that the index maps to it, found tensor '" + embedding));
  for (const Json& nonsense : {Json(3), Json::array(), Json::object(), Json{{"weight_map", 3}},
                               Json{{"weight_map", Json::object()}}}) {
    unmapped.write("model.safetensors.index.json", nonsense);
    CHECK(contains(unmapped.refused(), "expected an object weight_map, found none"));
  }
}

TEST_CASE("what a folder lacks is named") {
  const Folder folder;
  const auto without = [&](const char* name) {
    std::filesystem::rename(folder.path() / name, folder.path() / "away");
    const std::string message = folder.refused();
    std::filesystem::rename(folder.path() / "away", folder.path() / name);
    return message;
  };
  CHECK(contains(without("config.json"), "config.json: expected a readable file, found No such file"));
  CHECK(contains(without("tokenizer.json"), "expected a tokenizer.json beside the weights, found none"));
  CHECK(contains(without("model.safetensors"),
                 "expected model.safetensors or model.safetensors.index.json, found neither"));
  CHECK(without("generation_config.json") == "");
  CHECK(folder.refused() == "");
}

TEST_CASE("the ends of generation: generation_config.json before config.json, a number or a list") {
  const Folder folder;
  const auto eos_with = [&](const Json& generation) {
    folder.write("generation_config.json", generation);
    return folder.open().eos();
  };
  using Ids = std::vector<std::uint32_t>;
  CHECK(eos_with({{"eos_token_id", 7}}) == Ids{7});
  CHECK(eos_with({{"eos_token_id", {9, 2, 9}}}) == Ids{2, 9});
  CHECK(eos_with({{"eos_token_id", nullptr}}) == Ids{2});
  CHECK(eos_with(Json::object()) == Ids{2});
  for (const Json& wrong : {Json(256), Json(-1), Json(1.5), Json("2"), Json{0, 256}, Json{{0}}}) {
    folder.write("generation_config.json", {{"eos_token_id", wrong}});
    CHECK(contains(folder.refused(), "generation_config.json: eos_token_id: expected ids below 256"));
  }
}

TEST_CASE("the sampling of generation_config.json: none without do_sample, else what transformers fills in") {
  const Folder folder;
  const auto with = [&](const Json& generation) {
    folder.write("generation_config.json", generation);
    return folder.open().sampling();
  };
  using lawful::model::Sampling;
  CHECK_FALSE(with({{"temperature", 0.3}}).has_value());
  CHECK(with({{"do_sample", false}, {"temperature", 0.3}, {"repetition_penalty", 1.2}}) == Sampling{0.0, 0, 1.0, 0.0, 1.2});
  CHECK(with({{"do_sample", true}}) == Sampling{1.0, 50, 1.0, 0.0, 1.0});
  CHECK(with({{"do_sample", true}, {"temperature", 0.2}, {"top_k", 0}, {"top_p", 0.9}, {"min_p", 0.1}}) ==
        Sampling{0.2, 0, 0.9, 0.1, 1.0});
  const std::pair<const char*, Json> wrong[] = {{"temperature", 0}, {"temperature", "1"}, {"top_p", 1.5}, {"top_k", -1},
                                                {"min_p", 2}, {"repetition_penalty", 0}};
  for (const auto& [key, value] : wrong) {
    folder.write("generation_config.json", {{"do_sample", true}, {key, value}});
    CHECK(contains(folder.refused(), std::string("generation_config.json: ") + key + ": expected"));
  }
}

TEST_CASE("settings of generation that this program does not have are told, unless they change nothing") {
  const Folder folder;
  const auto warnings = [&](const Json& generation) {
    folder.write("generation_config.json", generation);
    return folder.open().warnings();
  };
  const std::pair<const char*, Json> told[] = {
      {"num_beams", 4}, {"no_repeat_ngram_size", 3}, {"suppress_tokens", {1, 2}}, {"begin_suppress_tokens", {1}},
      {"forced_eos_token_id", 2}, {"bad_words_ids", {{7}}}, {"typical_p", 0.9}, {"min_new_tokens", 5},
      {"stop_strings", {"end"}}, {"penalty_alpha", 0.6}, {"sequence_bias", {{{1}, 2.0}}}, {"guidance_scale", 1.5}};
  for (const auto& [name, value] : told) {
    const std::string key = name;
    CAPTURE(key);
    const auto found = warnings({{key, value}});
    REQUIRE(found.size() == 1);
    CHECK(contains(found[0], "generation_config.json: " + key + ": expected none"));
    CHECK(contains(found[0], ", found " + value.dump() + "; ignored"));
  }
  CHECK(warnings({{"num_beams", 1}, {"no_repeat_ngram_size", 0}, {"suppress_tokens", Json::array()}, {"typical_p", 1.0},
                  {"forced_eos_token_id", nullptr}, {"max_length", 2048}, {"sequence_bias", Json::object()},
                  {"transformers_version", "4.40"}}) == std::vector<std::string>{});
}

TEST_CASE("a link that leads nowhere is an error, whatever it stands for") {
  for (const char* name : {"generation_config.json", "tokenizer_config.json", "chat_template.jinja", "tokenizer.json",
                           "model.safetensors", "config.json"}) {
    const Folder folder;
    std::filesystem::remove(folder.path() / name);
    std::filesystem::create_symlink("nowhere", folder.path() / name);
    CHECK(contains(folder.refused(), std::string(name) + ": expected a readable file, found No such file"));
  }
}

TEST_CASE("the chat template: the file of its own, a string, or the default of a list") {
  const Folder folder;
  CHECK_FALSE(folder.open().chat_template().has_value());
  folder.write("tokenizer_config.json", {{"chat_template", "{{a}}"}});
  CHECK(folder.open().chat_template() == "{{a}}");
  const Json tool{{"name", "tool_use"}, {"template", "{{t}}"}}, plain{{"name", "default"}, {"template", "{{d}}"}};
  folder.write("tokenizer_config.json", {{"chat_template", {tool, plain}}});
  CHECK(folder.open().chat_template() == "{{d}}");
  folder.folder.file("chat_template.jinja", "{{j}}");
  CHECK(folder.open().chat_template() == "{{j}}");
  folder.folder.file("chat_template.jinja", "{{\xE9}}");
  CHECK(contains(folder.refused(), "chat_template.jinja: expected valid UTF-8, found byte E9 at offset 2"));
  folder.folder.file("chat_template.jinja", "{{j}}");
  folder.folder.file("tokenizer_config.json", "{\"chat_template\": \"\xE9\"}");
  CHECK(contains(folder.refused(), "tokenizer_config.json: expected JSON, found an error at byte"));
  folder.write("tokenizer_config.json", {{"chat_template", 3}});
  CHECK(contains(folder.refused(), "tokenizer_config.json: chat_template: expected a string or a list, found 3"));
  folder.write("tokenizer_config.json", {{"add_bos_token", true}});
  CHECK(contains(folder.refused(), "tokenizer_config.json: add_bos_token: expected false, found true"));
}

TEST_CASE("the template of transformers 5 that adds nothing is accepted; one that adds a token is refused") {
  const Folder folder;
  const auto sequence = [](const char* id, int type) { return Json{{"Sequence", {{"id", id}, {"type_id", type}}}}; };
  Json tokenizer = tokenizer_json(true);
  const auto ids = folder.open().tokenizer().encode("the ant");
  auto& processor = tokenizer["post_processor"];
  processor = {{"type", "TemplateProcessing"},
               {"single", Json::array({sequence("A", 0)})},
               {"pair", Json::array({sequence("A", 0), sequence("B", 1)})},
               {"special_tokens", Json::object()}};
  folder.write("tokenizer.json", tokenizer);
  CHECK(folder.open().tokenizer().encode("the ant") == ids);
  processor["single"].push_back({{"SpecialToken", {{"id", "<|im_end|>"}, {"type_id", 0}}}});
  folder.write("tokenizer.json", tokenizer);
  CHECK(contains(folder.refused(), "tokenizer.json: /post_processor/single/1/SpecialToken/id: expected no such value"));
  processor["single"] = Json::array({sequence("B", 0)});
  folder.write("tokenizer.json", tokenizer);
  CHECK(contains(folder.refused(), "/post_processor/single/0/Sequence/id: expected"));
}

TEST_CASE("a tokenizer of another size than the vocabulary is refused") {
  TestModel model = tiny();
  const Folder folder;
  Json config = config_json(model);
  config["vocab_size"] = 257;
  folder.write("config.json", config);
  CHECK(contains(folder.refused(), "tokenizer: expected 257 tokens, as the vocabulary, found 256"));
}
