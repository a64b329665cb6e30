// A checkpoint in the Hugging Face layout: safetensors, one file or sharded, with config.json and its companions.
#pragma once
#include <filesystem>

#include "model/checkpoint/contents.hpp"

namespace lawful::model {

/// `folder` holds config.json and model.safetensors or model.safetensors.index.json with its shards; also read if they
/// are there: tokenizer.json, tokenizer_config.json, chat_template.jinja, generation_config.json. As transformers,
/// the single file is preferred over an index. io::BadInput naming file and field.
Contents read_hugging_face_folder(const std::filesystem::path& folder, io::Access access);

/// The same for one given safetensors file, with the other files beside it.
Contents read_safetensors_checkpoint(io::MappedFile file, io::Access access);

}  // namespace lawful::model
