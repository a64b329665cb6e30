#include "model/checkpoint/gguf_metadata.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>

#include "io/bad_input.hpp"
#include "io/printable.hpp"
#include "model/checkpoint/end_tokens.hpp"
#include "model/checkpoint/spelled_vocabulary.hpp"

namespace lawful::model {
namespace {

using kernels::Storage;

/// llama.cpp's number for a file's main storage (enum llama_ftype).
std::uint32_t file_type(Storage storage) {
  switch (storage) {
    case Storage::f32: return 0;
    case Storage::f16: return 1;
    case Storage::q8_0: return 7;
    default: return 32;  // BF16
  }
}

std::uint32_t u32(std::uint64_t n) { return static_cast<std::uint32_t>(n); }  // sizes were read as at most 2^32 − 1

void write_shape(GgufWriter& writer, const Shape& s) {
  writer.unsigned_integer("llama.block_count", u32(s.layers));
  writer.unsigned_integer("llama.context_length", u32(s.context));
  writer.unsigned_integer("llama.embedding_length", u32(s.dim));
  writer.unsigned_integer("llama.feed_forward_length", u32(s.ffn));
  writer.unsigned_integer("llama.attention.head_count", u32(s.heads));
  writer.unsigned_integer("llama.attention.head_count_kv", u32(s.kv_heads));
  writer.unsigned_integer("llama.attention.key_length", u32(s.head));
  writer.unsigned_integer("llama.attention.value_length", u32(s.head));
  writer.real("llama.rope.freq_base", static_cast<float>(s.theta));
  writer.real("llama.attention.layer_norm_rms_epsilon", s.eps);
  writer.unsigned_integer("llama.vocab_size", u32(s.vocab));
  writer.unsigned_integer("llama.rope.dimension_count", u32(s.head));
}

void write_vocabulary(GgufWriter& writer, const SpelledVocabulary& vocabulary) {
  constexpr std::int32_t normal = 1, control = 3;
  std::vector<std::int32_t> types;
  for (const auto kind : vocabulary.kinds) types.push_back(kind == tokenizer::TokenKind::control ? control : normal);
  std::vector<std::string> merges;
  for (const auto& [left, right] : vocabulary.merges) merges.push_back(fmt::format("{} {}", left, right));
  writer.string("tokenizer.ggml.model", "gpt2");
  writer.string("tokenizer.ggml.pre", "smollm");
  writer.strings("tokenizer.ggml.tokens", vocabulary.tokens);
  writer.integers("tokenizer.ggml.token_type", types);
  writer.strings("tokenizer.ggml.merges", merges);
  writer.boolean("tokenizer.ggml.add_bos_token", false);
  writer.boolean("tokenizer.ggml.add_space_prefix", false);
}

/// The ids that end a generation: the main one, then those that no reader would know by their text; all of them, if
/// texts would end it elsewhere too.
void write_ends(GgufWriter& writer, const Checkpoint& from, const SpelledVocabulary& vocabulary) {
  constexpr std::array keys{"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                            "tokenizer.ggml.eom_token_id"};
  std::vector<std::uint32_t> ids;
  const auto& eos = from.eos();
  const auto main = from.special().eos;
  if (main && std::binary_search(eos.begin(), eos.end(), *main)) ids.push_back(*main);
  else if (!eos.empty()) ids.push_back(eos.front());
  for (const auto id : eos) {
    if (id != ids.front() && !is_end_token(vocabulary.tokens[id])) ids.push_back(id);
  }
  if (ids.size() > keys.size()) {
    io::reject(io::printable(from.path()) + ": end-of-generation ids", "at most three that GGUF has keys for",
               fmt::format("{}", fmt::join(ids, ", ")));
  }
  for (std::size_t i = 0; i < ids.size(); ++i) writer.unsigned_integer(keys[i], ids[i]);
  bool more_said = false;  // by its text alone; of an SmolLM2 that is no Instruct, <|im_end|>
  for (std::size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    more_said |= is_end_token(vocabulary.tokens[id]) && !std::binary_search(eos.begin(), eos.end(), id);
  }
  if (more_said) writer.integers(end_ids_key, std::vector<std::int32_t>(eos.begin(), eos.end()));
}

/// Keys that llama.cpp reads too.
void write_sampling(GgufWriter& writer, const Sampling& s) {
  writer.real("general.sampling.temp", static_cast<float>(s.temperature));
  writer.real("general.sampling.penalty_repeat", static_cast<float>(s.repetition_penalty));
  if (s.temperature == 0.0) return;
  constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();  // llama.cpp's type; more ids than there are
  writer.unsigned_integer("general.sampling.top_k", u32(std::min(s.top_k, most)));
  writer.real("general.sampling.top_p", static_cast<float>(s.top_p));
  writer.real("general.sampling.min_p", static_cast<float>(s.min_p));
}

}  // namespace

void write_metadata(GgufWriter& writer, const Checkpoint& from, Storage storage) {
  const auto tokenizer = from.tokenizer();
  const SpelledVocabulary vocabulary = spell(tokenizer.vocabulary());
  writer.string("general.architecture", "llama");
  writer.string("general.type", "model");
  writer.unsigned_integer("general.file_type", file_type(storage));
  writer.unsigned_integer("general.quantization_version", 2);
  write_shape(writer, from.shape());
  write_vocabulary(writer, vocabulary);
  write_ends(writer, from, vocabulary);
  const SpecialIds& special = from.special();
  if (special.bos) writer.unsigned_integer("tokenizer.ggml.bos_token_id", *special.bos);
  if (special.pad) writer.unsigned_integer("tokenizer.ggml.padding_token_id", *special.pad);
  if (special.unknown) writer.unsigned_integer("tokenizer.ggml.unknown_token_id", *special.unknown);
  if (from.sampling()) write_sampling(writer, *from.sampling());
  if (from.chat_template()) writer.string("tokenizer.chat_template", *from.chat_template());
}

}  // namespace lawful::model
