// The two spellings of a Llama's tensor names, Hugging Face's and GGUF's: one table for both directions.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace lawful::model {

/// "blk.3.attn_q.weight" -> "model.layers.3.self_attn.q_proj.weight"; nothing for a name outside the table.
std::optional<std::string> hugging_face_name(std::string_view gguf_name);

/// The inverse of hugging_face_name().
std::optional<std::string> gguf_name(std::string_view hugging_face_name);

/// Whether GGUF stores this tensor's rows for interleaved RoPE pairs: the Q and K projections.
bool rows_are_rotated(std::string_view hugging_face_name);

}  // namespace lawful::model
