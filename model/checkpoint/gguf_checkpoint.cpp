#include "model/checkpoint/gguf_checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "io/bad_input.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "model/checkpoint/config_json.hpp"
#include "model/checkpoint/end_tokens.hpp"
#include "model/checkpoint/gguf.hpp"
#include "model/checkpoint/tensor_names.hpp"

namespace lawful::model {
namespace {

/// Keys under `llama.` that are read below. Any other may change the function, and is refused.
constexpr std::array<std::string_view, 20> llama_keys{
    "llama.attention.causal", "llama.attention.head_count", "llama.attention.head_count_kv",
    "llama.attention.key_length", "llama.attention.layer_norm_rms_epsilon", "llama.attention.sliding_window",
    "llama.attention.value_length", "llama.block_count", "llama.context_length", "llama.embedding_length",
    "llama.expert_count", "llama.expert_used_count", "llama.feed_forward_length", "llama.rope.dimension_count",
    "llama.rope.freq_base", "llama.rope.scaling.factor", "llama.rope.scaling.type",
    "llama.tensor_data_layout", "llama.use_parallel_residual", "llama.vocab_size"};

class Metadata {
 public:
  Metadata(const GgufFile& file, std::string path) : file_(file), path_(std::move(path)) {}

  std::uint64_t required(std::string_view key) const {
    const auto value = file_.unsigned_integer(key);
    if (!value) io::reject(named(key), "an unsigned integer", "no such key");
    if (*value == 0 || *value > max_size) {
      io::reject(named(key), fmt::format("1 to {}", max_size), fmt::to_string(*value));
    }
    return *value;
  }

  std::uint64_t size_or(std::string_view key, std::uint64_t absent) const {
    return file_.unsigned_integer(key) ? required(key) : absent;
  }

  double positive_or(std::string_view key, std::optional<double> absent) const {
    const auto value = file_.real(key) ? file_.real(key) : absent;
    if (!value) io::reject(named(key), "a number", "no such key");
    if (!std::isfinite(*value) || *value <= 0) io::reject(named(key), "a positive number", fmt::to_string(*value));
    return *value;
  }

  void expect(std::string_view key, std::string_view expected) const {
    const auto found = file_.string(key);
    if (found != expected) io::reject(named(key), io::quoted(expected), found ? io::quoted(*found) : "no such key");
  }
  void expect_if_present(std::string_view key, std::string_view expected) const {
    if (file_.string(key)) expect(key, expected);
  }
  void expect_if_present(std::string_view key, std::uint64_t expected) const {
    const auto found = file_.unsigned_integer(key);
    if (found && *found != expected) io::reject(named(key), fmt::to_string(expected), fmt::to_string(*found));
  }
  void expect_if_present(std::string_view key, bool expected) const {
    const auto found = file_.boolean(key);
    if (found && *found != expected) io::reject(named(key), fmt::to_string(expected), fmt::to_string(*found));
  }

  const GgufFile& file() const { return file_; }
  std::string named(std::string_view key) const { return path_ + ": " + io::printable(key); }
  const std::string& path() const { return path_; }

 private:
  static constexpr std::uint64_t max_size = 0xFFFFFFFFU;
  const GgufFile& file_;
  std::string path_;
};

/// What must hold before any other key means what it seems to.
void refuse_other_kinds(const Metadata& m) {
  m.expect("general.architecture", "llama");
  m.expect_if_present("general.type", std::string_view("model"));
  if (const auto parts = m.file().unsigned_integer("split.count"); parts && *parts > 1) {
    io::reject(m.named("split.count"), "a whole model in one file (join the parts with llama-gguf-split --merge)",
               fmt::format("one of {} parts", *parts));
  }
  for (const auto& entry : m.file().entries()) {
    if (!entry.key.starts_with("llama.")) continue;
    if (std::find(llama_keys.begin(), llama_keys.end(), entry.key) == llama_keys.end()) {
      io::reject(m.named(entry.key), "only keys of a plain Llama", "this key");
    }
  }
  m.expect_if_present("llama.attention.causal", true);
  m.expect_if_present("llama.use_parallel_residual", false);
  m.expect_if_present("llama.expert_count", std::uint64_t{0});
  m.expect_if_present("llama.expert_used_count", std::uint64_t{0});
  m.expect_if_present("llama.attention.sliding_window", std::uint64_t{0});
  m.expect_if_present("llama.rope.scaling.type", std::string_view("none"));
  m.expect_if_present("llama.tensor_data_layout", std::string_view("Meta AI original pth"));
  if (const auto factor = m.file().real("llama.rope.scaling.factor"); factor && *factor != 1.0) {
    io::reject(m.named("llama.rope.scaling.factor"), "1", fmt::to_string(*factor));
  }
}

Shape read_shape(const Metadata& m, std::vector<std::string>& warnings) {
  Shape s;
  s.layers = m.required("llama.block_count");
  s.dim = m.required("llama.embedding_length");
  s.heads = m.required("llama.attention.head_count");
  s.kv_heads = m.size_or("llama.attention.head_count_kv", s.heads);
  s.head = m.size_or("llama.attention.key_length", s.dim / s.heads);
  s.ffn = m.required("llama.feed_forward_length");
  s.context = m.required("llama.context_length");
  constexpr std::string_view eps_key = "llama.attention.layer_norm_rms_epsilon";
  const double eps = m.positive_or(eps_key, std::nullopt);
  if (eps >= 1) io::reject(m.named(eps_key), "a number between 0 and 1", fmt::to_string(eps));
  s.eps = static_cast<float>(eps);
  constexpr double default_theta = 10000.0;
  s.theta = m.positive_or("llama.rope.freq_base", default_theta);
  if (!m.file().real("llama.rope.freq_base")) {
    warnings.push_back(m.named("llama.rope.freq_base") + ": no such key; 10000 is used, as llama.cpp does");
  }
  m.expect_if_present("llama.rope.dimension_count", s.head);
  m.expect_if_present("llama.attention.value_length", s.head);
  return s;
}

std::vector<tokenizer::TokenKind> read_kinds(const Metadata& m, std::size_t tokens) {
  const auto types = m.file().integers("tokenizer.ggml.token_type");
  if (!types) io::reject(m.named("tokenizer.ggml.token_type"), "an array of INT32", "no such key");
  if (types->size() != tokens) {
    io::reject(m.named("tokenizer.ggml.token_type"), fmt::format("{} types, one for each token", tokens),
               fmt::to_string(types->size()));
  }
  std::vector<tokenizer::TokenKind> kinds;
  kinds.reserve(tokens);
  for (std::size_t id = 0; id < tokens; ++id) {
    constexpr std::int32_t normal = 1, control = 3;
    const auto type = (*types)[id];
    if (type != normal && type != control) {
      io::reject(m.named("tokenizer.ggml.token_type") + fmt::format(" of token {}", id), "1 (normal) or 3 (control)",
                 fmt::to_string(type));
    }
    kinds.push_back(type == normal ? tokenizer::TokenKind::normal : tokenizer::TokenKind::control);
  }
  return kinds;
}

std::vector<std::string_view> read_strings(const Metadata& m, std::string_view key) {
  auto strings = m.file().strings(key);
  if (!strings) io::reject(m.named(key), "an array of STRING", "no such key");
  if (strings->empty()) io::reject(m.named(key), "at least one string", "none");
  return std::move(*strings);
}

tokenizer::VocabularySource read_vocabulary(const Metadata& m) {
  m.expect("tokenizer.ggml.model", "gpt2");
  m.expect("tokenizer.ggml.pre", "smollm");
  m.expect_if_present("tokenizer.ggml.add_bos_token", false);
  m.expect_if_present("tokenizer.ggml.add_eos_token", false);
  m.expect_if_present("tokenizer.ggml.add_space_prefix", false);
  m.expect_if_present("tokenizer.ggml.remove_extra_whitespaces", false);
  tokenizer::VocabularySource source;
  source.name = m.path();
  source.tokens = read_strings(m, "tokenizer.ggml.tokens");
  source.kinds = read_kinds(m, source.tokens.size());
  const auto merges = read_strings(m, "tokenizer.ggml.merges");
  source.merges.reserve(merges.size());
  for (const auto merge : merges) {
    source.merges.push_back(tokenizer::split_merge(merge, source.merges.size(), m.path()));
  }
  return source;
}

std::optional<std::uint32_t> read_id(const Metadata& m, std::string_view key, std::size_t vocab) {
  const auto id = m.file().unsigned_integer(key);
  if (!id) return std::nullopt;
  if (*id >= vocab) io::reject(m.named(key), fmt::format("an id below {}", vocab), fmt::to_string(*id));
  return static_cast<std::uint32_t>(*id);
}

SpecialIds read_special_ids(const Metadata& m, std::size_t vocab) {
  for (const auto& entry : m.file().entries()) {  // those that are not used as well: separator, mask, fim_pre, …
    if (entry.key.starts_with("tokenizer.ggml.") && entry.key.ends_with("_token_id")) read_id(m, entry.key, vocab);
  }
  return {read_id(m, "tokenizer.ggml.bos_token_id", vocab), read_id(m, "tokenizer.ggml.eos_token_id", vocab),
          read_id(m, "tokenizer.ggml.padding_token_id", vocab), read_id(m, "tokenizer.ggml.unknown_token_id", vocab)};
}

std::vector<std::uint32_t> rising(std::vector<std::uint32_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

/// Of the key that lists them all, if the file has it.
std::optional<std::vector<std::uint32_t>> read_listed_eos(const Metadata& m, std::size_t vocab) {
  const auto listed = m.file().integers(end_ids_key);
  if (!listed) return std::nullopt;
  for (const std::int32_t id : *listed) {
    const bool good = id >= 0 && static_cast<std::size_t>(id) < vocab;
    if (!good) io::reject(m.named(end_ids_key), fmt::format("ids below {}", vocab), fmt::to_string(id));
  }
  return std::vector<std::uint32_t>(listed->begin(), listed->end());
}

std::vector<std::uint32_t> named_eos(const Metadata& m, const tokenizer::VocabularySource& vocabulary) {
  std::vector<std::uint32_t> eos;
  for (const auto* key :
       {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
    if (const auto id = read_id(m, key, vocabulary.tokens.size())) eos.push_back(*id);
  }
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    if (is_end_token(vocabulary.tokens[id])) eos.push_back(static_cast<std::uint32_t>(id));
  }
  return eos;
}

std::vector<std::uint32_t> read_eos(const Metadata& m, const tokenizer::VocabularySource& vocabulary) {
  const auto listed = read_listed_eos(m, vocabulary.tokens.size());
  return rising(listed ? *listed : named_eos(m, vocabulary));
}

/// The decimal number that was written as this F32: 0.2, not 0.20000000298.
double decimal(double value) { return std::stod(fmt::format("{}", static_cast<float>(value))); }

/// The keys general.sampling.*; nothing if the file has none of them. What it leaves out is as in generation_config.json.
std::optional<Sampling> read_sampling(const Metadata& m) {
  bool any = false;
  const auto real = [&](std::string_view key, double absent, double least, double most) {
    const auto found = m.file().real(key);
    if (!found) return absent;
    any = true;
    const double value = std::isfinite(*found) ? decimal(*found) : *found;
    if (!(value >= least && value <= most))
      io::reject(m.named(key), fmt::format("a number from {} to {}", least, most), fmt::to_string(*found));
    return value;
  };
  const Sampling unset = transformers_sampling();
  Sampling s;
  s.repetition_penalty = real("general.sampling.penalty_repeat", unset.repetition_penalty, 0.01, 100.0);
  s.temperature = real("general.sampling.temp", unset.temperature, 0.0, std::numeric_limits<float>::max());
  const auto top_k = m.file().unsigned_integer("general.sampling.top_k");
  const double top_p = real("general.sampling.top_p", unset.top_p, std::numeric_limits<float>::min(), 1.0);
  const double min_p = real("general.sampling.min_p", unset.min_p, 0.0, 1.0);
  if (!any && !top_k) return std::nullopt;
  if (s.temperature == 0.0) return s;
  s.top_k = top_k.value_or(unset.top_k), s.top_p = top_p, s.min_p = min_p;
  return s;
}

std::vector<StoredTensor> read_tensors(const Metadata& m) {
  std::vector<StoredTensor> tensors;
  for (const auto& t : m.file().tensors()) {
    auto name = hugging_face_name(t.name);
    if (!name) io::reject(m.path(), "only the tensors of a plain Llama", "tensor " + io::quoted(t.name));
    const auto order =
        rows_are_rotated(*name) ? kernels::RowOrder::interleaved_pairs : kernels::RowOrder::straight;
    // GGUF lists the contiguous length first.
    tensors.push_back({std::move(*name), {t.dims.rbegin(), t.dims.rend()}, t.storage, order, t.bytes, t.byte_count});
  }
  return tensors;
}

}  // namespace

Contents read_gguf_checkpoint(io::MappedFile file) {
  Contents contents;
  const GgufFile gguf(file.bytes(), io::printable(file.path()));
  const Metadata metadata(gguf, io::printable(file.path()));
  refuse_other_kinds(metadata);
  contents.format = fmt::format("GGUF v{}", gguf.version());
  contents.shape = read_shape(metadata, contents.warnings);
  auto vocabulary = read_vocabulary(metadata);
  contents.shape.vocab = vocabulary.tokens.size();
  metadata.expect_if_present("llama.vocab_size", contents.shape.vocab);
  contents.special = read_special_ids(metadata, vocabulary.tokens.size());
  contents.eos = read_eos(metadata, vocabulary);
  contents.sampling = read_sampling(metadata);
  contents.tokenizer = std::move(vocabulary);
  contents.tensors = read_tensors(metadata);
  contents.shape.tied = std::none_of(contents.tensors.begin(), contents.tensors.end(),
                                     [](const auto& t) { return t.name == "lm_head.weight"; });
  if (const auto text = gguf.string("tokenizer.chat_template")) {
    io::require_utf8(*text, metadata.named("tokenizer.chat_template"));
    contents.chat_template = std::string(*text);
  }
  contents.files.push_back(std::move(file));
  return contents;
}

}  // namespace lawful::model
