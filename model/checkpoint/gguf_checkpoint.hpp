// A GGUF file as a checkpoint: what its keys say, and its tensors under Hugging Face's names.
#pragma once
#include "model/checkpoint/contents.hpp"

namespace lawful::model {

/// io::BadInput unless the file holds one whole plain Llama with SmolLM2's kind of tokenizer.
Contents read_gguf_checkpoint(io::MappedFile file);

}  // namespace lawful::model
