// What a checkpoint holds once its container is understood: the same for every format.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/mapped_file.hpp"
#include "kernels/storage.hpp"
#include "model/sampling.hpp"
#include "tokenizer/vocabulary.hpp"

namespace lawful::model {

/// A tensor where it lies in a file. Weights are used from there; nothing is copied.
struct StoredTensor {
  std::string name;                  ///< Hugging Face's: model.layers.3.self_attn.q_proj.weight
  std::vector<std::uint64_t> shape;  ///< rows first
  kernels::Storage storage = kernels::Storage::f32;
  kernels::RowOrder row_order = kernels::RowOrder::straight;
  const std::byte* bytes = nullptr;  ///< at any address: safetensors data may begin at an odd one
  std::uint64_t byte_count = 0;

  std::uint64_t value_count() const {
    return byte_count / kernels::block_shape(storage).bytes * kernels::block_shape(storage).values;
  }
};

/// The shape that a checkpoint's metadata states, in config.json's terms.
struct Shape {
  std::uint64_t layers = 0;    ///< num_hidden_layers
  std::uint64_t dim = 0;       ///< hidden_size
  std::uint64_t heads = 0;     ///< num_attention_heads
  std::uint64_t kv_heads = 0;  ///< num_key_value_heads
  std::uint64_t head = 0;      ///< head_dim
  std::uint64_t ffn = 0;       ///< intermediate_size
  std::uint64_t vocab = 0;     ///< vocab_size
  std::uint64_t context = 0;   ///< max_position_embeddings
  double theta = 0;            ///< rope_theta
  float eps = 0;               ///< rms_norm_eps
  bool tied = false;           ///< the embedding is the output matrix

  friend bool operator==(const Shape&, const Shape&) = default;
};

/// Ids with a role of their own, as the file names them; all below Shape::vocab.
struct SpecialIds {
  std::optional<std::uint32_t> bos, eos, pad, unknown;
};

/// The content of a tokenizer.json.
struct TokenizerJson {
  std::string_view text;
  std::string name;
};

struct Contents {
  std::vector<io::MappedFile> files;  ///< own the bytes that everything below points into
  std::string format;                 ///< for people: "GGUF v3", "safetensors (2 shards)"
  Shape shape;
  std::vector<StoredTensor> tensors;  ///< in file order; names differ
  std::vector<std::uint32_t> eos;     ///< the ids that end a generation, rising
  SpecialIds special;
  std::optional<std::string> chat_template;
  std::optional<Sampling> sampling;  ///< what the file asks for where nobody says otherwise
  std::variant<std::monostate, tokenizer::VocabularySource, TokenizerJson> tokenizer;  ///< none: no tokenizer.json
  std::vector<std::string> warnings;  ///< one line each: accepted, but worth telling
};

}  // namespace lawful::model
