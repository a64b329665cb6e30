#include "props/checkpoint/build_files.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace lawful::props {
namespace {

using kernels::Storage;
using Json = nlohmann::json;

/// A byte as GPT-2 spells it: itself where it is a printable character of Latin-1, else the next from U+0100 on.
std::string spelled(unsigned byte) {
  const auto printable = [](unsigned b) { return (b >= 33 && b <= 126) || (b >= 161 && b != 173); };
  unsigned code = byte;
  if (!printable(byte)) {
    code = 256;
    for (unsigned b = 0; b < byte; ++b) code += printable(b) ? 0 : 1;
  }
  if (code < 128) return {static_cast<char>(code)};
  return {static_cast<char>(0xC0U | (code >> 6U)), static_cast<char>(0x80U | (code & 63U))};
}

bool has_token(unsigned byte) {
  for (const unsigned without : {0x04U, 0x06U, 0x13U, 0x14U, 0x16U, 0x1DU, 0xC0U, 0xC1U, 0xF1U, 0xF2U}) {
    if (byte == without) return false;
  }
  return byte < 0xF5U;
}

const std::map<std::string, std::string>& gguf_spelling() {
  static const std::map<std::string, std::string> spelling{
      {"input_layernorm.weight", "attn_norm.weight"},     {"self_attn.q_proj.weight", "attn_q.weight"},
      {"self_attn.k_proj.weight", "attn_k.weight"},       {"self_attn.v_proj.weight", "attn_v.weight"},
      {"self_attn.o_proj.weight", "attn_output.weight"},  {"post_attention_layernorm.weight", "ffn_norm.weight"},
      {"mlp.gate_proj.weight", "ffn_gate.weight"},        {"mlp.up_proj.weight", "ffn_up.weight"},
      {"mlp.down_proj.weight", "ffn_down.weight"},        {"model.embed_tokens.weight", "token_embd.weight"},
      {"model.norm.weight", "output_norm.weight"},        {"lm_head.weight", "output.weight"}};
  return spelling;
}

std::string in_gguf(const std::string& name) {
  const std::string prefix = "model.layers.";
  if (name.rfind(prefix, 0) != 0) return gguf_spelling().at(name);
  const auto dot = name.find('.', prefix.size());
  return "blk." + name.substr(prefix.size(), dot - prefix.size()) + "." + gguf_spelling().at(name.substr(dot + 1));
}

std::uint32_t gguf_type(Storage storage) {
  switch (storage) {
    case Storage::f32: return 0;
    case Storage::f16: return 1;
    case Storage::q4_0: return 2;
    case Storage::q4_1: return 3;
    case Storage::q5_0: return 6;
    case Storage::q5_1: return 7;
    case Storage::q8_0: return 8;
    case Storage::q4_k: return 12;
    case Storage::q6_k: return 14;
    case Storage::bf16: return 30;
  }
  throw std::logic_error("no such storage");
}

/// Rows as GGUF wants them for interleaved pairs: lanes 0 and half, then 1 and half + 1, of each head.
std::string interleaved(const std::string& rows, std::size_t row_bytes, std::size_t half) {
  std::string out;
  for (std::size_t head = 0; head < rows.size() / row_bytes; head += 2 * half) {
    for (std::size_t lane = 0; lane < half; ++lane) {
      out += rows.substr((head + lane) * row_bytes, row_bytes);
      out += rows.substr((head + half + lane) * row_bytes, row_bytes);
    }
  }
  return out;
}

GgufImage::Tensor gguf_tensor(const TestTensor& t, const TestModel& model, Storage matrices) {
  const bool is_matrix = t.shape.size() == 2;
  Storage storage = is_matrix ? matrices : Storage::f32;
  if (!fits(storage, t.shape.back())) storage = Storage::q8_0;
  std::string data = t.encoded(storage);
  if (t.name.ends_with("q_proj.weight") || t.name.ends_with("k_proj.weight")) {
    data = interleaved(data, data.size() / t.shape[0], model.config.half);
  }
  return {in_gguf(t.name), {t.shape.rbegin(), t.shape.rend()}, gguf_type(storage), std::move(data), std::nullopt};
}

std::string_view dtype(Storage storage) { return kernels::block_shape(storage).name; }

std::string shard_name(std::size_t i, std::size_t count) {
  char name[64];
  std::snprintf(name, sizeof name, "model-%05zu-of-%05zu.safetensors", i + 1, count);
  return name;
}

void write_shards(const TestModel& model, const std::filesystem::path& folder, const FolderOptions& options) {
  Json map = Json::object();
  const std::size_t each = (model.tensors.size() + options.shards - 1) / options.shards;
  for (std::size_t i = 0; i < options.shards; ++i) {
    const auto begin = model.tensors.begin() + static_cast<std::ptrdiff_t>(i * each);
    const auto end = i + 1 == options.shards ? model.tensors.end() : begin + static_cast<std::ptrdiff_t>(each);
    const std::vector<TestTensor> part(begin, end);
    write_file(folder / shard_name(i, options.shards), safetensors_file(part, options));
    for (const auto& t : part) map[t.name] = shard_name(i, options.shards);
  }
  write_file(folder / "model.safetensors.index.json", Json{{"metadata", Json::object()}, {"weight_map", map}}.dump());
}

}  // namespace

void write_file(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary).write(content.data(), static_cast<std::streamsize>(content.size()));
}

TestVocabulary test_vocabulary() {
  TestVocabulary v;
  v.tokens = {"<|endoftext|>", "<|im_start|>", "<|im_end|>"};
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (has_token(byte)) v.tokens.push_back(spelled(byte));
  }
  const std::string space = spelled(' ');
  v.merges = {space + " t", space + " a", "h e",      "i n",      "r e",       "o n",
              space + "t he", "e r", space + " s",    "a t",      space + " " + space, "e n",
              space + " c", "n d",   space + "a nd",  "in g",     "o r",       "e s"};
  for (const auto& merge : v.merges) {
    const auto gap = merge.find(' ');
    v.tokens.push_back(merge.substr(0, gap) + merge.substr(gap + 1));
  }
  return v;
}

GgufImage gguf_image(const TestModel& model, const GgufOptions& options) {
  const auto& c = model.config;
  const auto u32 = [](std::size_t n) { return gguf_u32(static_cast<std::uint32_t>(n)); };
  GgufImage image;
  image.version = options.version;
  image.alignment = options.alignment;
  image.set("general.architecture", gguf_string("llama"));
  if (options.alignment != 32) image.set("general.alignment", gguf_u32(options.alignment));
  image.set("llama.block_count", u32(c.layers));
  image.set("llama.context_length", u32(c.context));
  image.set("llama.embedding_length", u32(c.dim()));
  image.set("llama.feed_forward_length", u32(c.ffn));
  image.set("llama.attention.head_count", u32(c.heads()));
  image.set("llama.attention.head_count_kv", u32(c.kv_heads));
  image.set("llama.rope.freq_base", gguf_f32(static_cast<float>(c.theta)));
  image.set("llama.attention.layer_norm_rms_epsilon", gguf_f32(static_cast<float>(c.eps)));
  image.set("llama.vocab_size", u32(c.vocab));
  image.set("llama.rope.dimension_count", u32(c.head()));
  const auto vocabulary = test_vocabulary();
  std::vector<std::int32_t> types(vocabulary.tokens.size(), 1);
  std::fill(types.begin(), types.begin() + 3, 3);
  image.set("tokenizer.ggml.model", gguf_string("gpt2"));
  image.set("tokenizer.ggml.pre", gguf_string("smollm"));
  image.set("tokenizer.ggml.tokens", gguf_strings(vocabulary.tokens));
  image.set("tokenizer.ggml.token_type", gguf_i32s(types));
  image.set("tokenizer.ggml.merges", gguf_strings(vocabulary.merges));
  image.set("tokenizer.ggml.bos_token_id", gguf_u32(1));
  image.set("tokenizer.ggml.eos_token_id", gguf_u32(2));
  for (const auto& t : model.tensors) image.tensors.push_back(gguf_tensor(t, model, options.matrices));
  return image;
}

Json config_json(const TestModel& model) {
  const auto& c = model.config;
  return {{"architectures", {"LlamaForCausalLM"}},
          {"model_type", "llama"},
          {"hidden_act", "silu"},
          {"hidden_size", c.dim()},
          {"intermediate_size", c.ffn},
          {"num_hidden_layers", c.layers},
          {"num_attention_heads", c.heads()},
          {"num_key_value_heads", c.kv_heads},
          {"vocab_size", c.vocab},
          {"max_position_embeddings", c.context},
          {"rms_norm_eps", c.eps},
          {"rope_theta", c.theta},
          {"rope_scaling", nullptr},
          {"tie_word_embeddings", model.tied},
          {"attention_bias", false},
          {"mlp_bias", false},
          {"eos_token_id", 2},
          {"bos_token_id", 1}};
}

Json tokenizer_json(bool merges_as_pairs) {
  const auto v = test_vocabulary();
  Json added = Json::array(), vocabulary = Json::object(), merges = Json::array();
  for (std::size_t id = 0; id < v.tokens.size(); ++id) {
    vocabulary[v.tokens[id]] = id;
    if (id >= 3) continue;
    added.push_back({{"id", id}, {"content", v.tokens[id]}, {"single_word", false}, {"lstrip", false},
                     {"rstrip", false}, {"normalized", false}, {"special", true}});
  }
  for (const auto& merge : v.merges) {
    const auto gap = merge.find(' ');
    if (merges_as_pairs) merges.push_back({merge.substr(0, gap), merge.substr(gap + 1)});
    else merges.push_back(merge);
  }
  const Json digits{{"type", "Digits"}, {"individual_digits", true}};
  const Json bytes{{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
  const Json decoder{{"type", "ByteLevel"}, {"add_prefix_space", true}, {"trim_offsets", true}, {"use_regex", true}};
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", added},
          {"normalizer", nullptr},
          {"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", Json::array({digits, bytes})}}},
          {"post_processor", nullptr},
          {"decoder", decoder},
          {"model",
           {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", nullptr},
            {"continuing_subword_prefix", nullptr},
            {"end_of_word_suffix", nullptr},
            {"fuse_unk", false},
            {"byte_fallback", false},
            {"ignore_merges", false},
            {"vocab", vocabulary},
            {"merges", merges}}}};
}

std::string safetensors_file(const std::vector<TestTensor>& tensors, const FolderOptions& options) {
  Json header = Json::object();
  std::string data;
  for (const auto& t : tensors) {
    const std::string bytes = t.encoded(options.storage);
    header[t.name] = {{"dtype", dtype(options.storage)},
                      {"shape", t.shape},
                      {"data_offsets", {data.size(), data.size() + bytes.size()}}};
    data += bytes;
  }
  const std::string text = header.dump() + std::string(options.header_spaces, ' ');
  return raw_u64(text.size()) + text + data;
}

void write_folder(const TestModel& model, const std::filesystem::path& folder, const FolderOptions& options) {
  std::filesystem::create_directories(folder);
  write_file(folder / "config.json", config_json(model).dump(2));
  write_file(folder / "generation_config.json", Json{{"bos_token_id", 1}, {"eos_token_id", {0, 2}}}.dump());
  write_file(folder / "tokenizer.json", tokenizer_json(options.merges_as_pairs).dump());
  if (options.shards > 1) write_shards(model, folder, options);
  else write_file(folder / "model.safetensors", safetensors_file(model.tensors, options));
}

}  // namespace lawful::props
