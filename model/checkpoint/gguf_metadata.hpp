// The keys of a GGUF file that `convert` writes: what llama.cpp needs to give the same function.
#pragma once
#include "model/checkpoint/checkpoint.hpp"
#include "model/checkpoint/gguf_writer.hpp"

namespace lawful::model {

/// Throws io::BadInput if the checkpoint has no tokenizer, or ends generations at more ids than GGUF has keys for.
void write_metadata(GgufWriter& writer, const Checkpoint& from, kernels::Storage storage);

}  // namespace lawful::model
