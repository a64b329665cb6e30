// Writes the fuzzers' seeds: small sound files of each kind.    make_seeds FOLDER
#include <nlohmann/json.hpp>

#include "props/checkpoint/build_files.hpp"

namespace {

using namespace lawful::props;
using lawful::kernels::Storage;

/// Six tokens and one tensor: a checkpoint of a kilobyte.
GgufImage small_gguf(std::uint32_t version, std::uint32_t alignment) {
  TestModel model = make_test_model({"seed", 1, 1, 16, 32, 1, 6, 64, 10000.0, 1e-5}, 1);
  model.tensors.resize(2);
  GgufImage image = gguf_image(model, {Storage::q4_1, version, alignment});
  image.set("tokenizer.ggml.tokens", gguf_strings({"<|endoftext|>", "<|im_start|>", "<|im_end|>", "a", "b", "ab"}));
  image.set("tokenizer.ggml.token_type", gguf_i32s({3, 3, 3, 1, 1, 1}));
  image.set("tokenizer.ggml.merges", gguf_strings({"a b"}));
  return image;
}

nlohmann::json small_tokenizer(bool merges_as_pairs) {
  nlohmann::json json = tokenizer_json(merges_as_pairs);
  const nlohmann::json merge = merges_as_pairs ? nlohmann::json{"a", "b"} : nlohmann::json("a b");
  json["model"]["vocab"] = {{"<|endoftext|>", 0}, {"<|im_start|>", 1}, {"<|im_end|>", 2},
                            {"a", 3},             {"b", 4},            {"ab", 5}};
  json["model"]["merges"] = nlohmann::json::array({merge});
  return json;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::filesystem::path folder(arguments[1]);
  for (const auto* name : {"gguf", "safetensors", "config_json", "tokenizer_json", "tokenizer"}) {
    std::filesystem::create_directories(folder / name);
  }
  write_file(folder / "gguf" / "v3", small_gguf(3, 32).bytes());
  write_file(folder / "gguf" / "v2-alignment-1", small_gguf(2, 1).bytes());
  const TestModel model = make_test_model({"seed", 1, 1, 4, 8, 1, 2, 8, 10000.0, 1e-5}, 1);
  write_file(folder / "safetensors" / "f32", safetensors_file(model.tensors, {Storage::f32, 0, 1, false}));
  write_file(folder / "safetensors" / "bf16-odd", safetensors_file(model.tensors, {Storage::bf16, 1, 1, false}));
  nlohmann::json config = config_json(model);
  write_file(folder / "config_json" / "transformers-4", config.dump());
  config.erase("rope_theta");
  config["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 10000.0}};
  config["eos_token_id"] = {0, 1};
  config["head_dim"] = 8;
  config["chat_template"] = {{{"name", "default"}, {"template", "{{ messages }}"}}};
  write_file(folder / "config_json" / "transformers-5", config.dump());
  write_file(folder / "tokenizer_json" / "strings", small_tokenizer(false).dump());
  write_file(folder / "tokenizer_json" / "pairs", small_tokenizer(true).dump());
  write_file(folder / "tokenizer" / "english", "the ant and the hen's 12 eggs\n\n  in rain<|im_end|>");
  write_file(folder / "tokenizer" / "marks",
             "\u00bd \u00e9e\u0301\u0300 \u4e00\u4e8c \u0663\u0664 \U0001f999\t\u00a0x 'll 'LL \x04!\x06");
}
