#include "model/checkpoint/hugging_face.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "io/bad_input.hpp"
#include "io/json.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "model/checkpoint/config_json.hpp"
#include "model/checkpoint/safetensors.hpp"

namespace lawful::model {
namespace {

namespace fs = std::filesystem;

std::string_view text_of(const io::MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::optional<io::MappedFile> open_if_there(const fs::path& path, io::Access access) {
  std::error_code unknown;
  // Of the name itself: a link that leads nowhere is there, and MappedFile says what is wrong with it.
  if (fs::symlink_status(path, unknown).type() == fs::file_type::not_found) return std::nullopt;
  return io::MappedFile(path, access);
}

/// Buffers of the rotation that old transformers wrote. The frequencies follow from rope_theta; these are not read.
bool is_rotation_buffer(std::string_view name) { return name.ends_with("rotary_emb.inv_freq"); }

void add_tensors(Contents& contents, io::MappedFile file) {
  for (auto& tensor : read_safetensors(file.bytes(), io::printable(file.path()))) {
    if (!is_rotation_buffer(tensor.name)) contents.tensors.push_back(std::move(tensor));
  }
  contents.files.push_back(std::move(file));
}

/// weight_map: which shard holds which tensor. A shard is a plain file name, so that no index reaches elsewhere.
std::map<std::string, std::string> read_weight_map(const io::MappedFile& index) {
  const std::string name = io::printable(index.path());
  const auto json = io::parse_json(text_of(index), name);
  const auto map = json.is_object() ? json.find("weight_map") : json.end();
  if (map == json.end() || !map->is_object() || map->empty()) io::reject(name, "an object weight_map", "none");
  std::map<std::string, std::string> shards;
  for (const auto& [tensor, shard] : map->items()) {
    const auto* file = shard.get_ptr<const std::string*>();
    const bool plain = file != nullptr && file->ends_with(".safetensors") &&
                       file->find('/') == std::string::npos && file->find('\0') == std::string::npos;
    if (!plain) {
      io::reject(name + ": weight_map: " + io::quoted(tensor), "the plain name of a .safetensors file",
                 io::printable(shard.dump(), 60));
    }
    shards.emplace(tensor, *file);
  }
  return shards;
}

void add_shards(Contents& contents, const fs::path& folder, const io::MappedFile& index, io::Access access) {
  auto shard_of = read_weight_map(index);
  std::erase_if(shard_of, [](const auto& entry) { return is_rotation_buffer(entry.first); });
  std::vector<std::string> shards;
  for (const auto& [tensor, shard] : shard_of) shards.push_back(shard);
  std::sort(shards.begin(), shards.end());
  shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
  for (const auto& shard : shards) {
    const std::size_t before = contents.tensors.size();
    add_tensors(contents, io::MappedFile(folder / shard, access));
    for (std::size_t i = before; i < contents.tensors.size(); ++i) {
      const auto& tensor = contents.tensors[i].name;
      const auto mapped = shard_of.find(tensor);
      if (mapped == shard_of.end() || mapped->second != shard) {
        io::reject(io::printable((folder / shard).string()), "only tensors that the index maps to it",
                   "tensor " + io::quoted(tensor));
      }
    }
  }
  if (contents.tensors.size() == shard_of.size()) {
    contents.format = fmt::format("safetensors ({} shards)", shards.size());
    return;
  }
  std::set<std::string_view> found;
  for (const auto& tensor : contents.tensors) found.insert(tensor.name);
  for (const auto& [tensor, shard] : shard_of) {  // each tensor found was mapped: one that was mapped is missing
    if (found.contains(tensor)) continue;
    io::reject(io::printable((folder / shard).string()),
               fmt::format("tensor {}, as the index says", io::quoted(tensor)), "none");
  }
}

/// tie_word_embeddings against the head in the file: no head can be ignored, and none invented.
void resolve_tie(Contents& contents, const std::string& where) {
  const auto named = [&](std::string_view name) {
    return std::find_if(contents.tensors.begin(), contents.tensors.end(),
                        [&](const auto& t) { return t.name == name; });
  };
  const auto head = named("lm_head.weight"), embedding = named("model.embed_tokens.weight");
  if (head == contents.tensors.end()) {
    if (!contents.shape.tied) {
      io::reject(where, "tensor 'lm_head.weight', as tie_word_embeddings is false or absent", "none");
    }
    return;
  }
  if (!contents.shape.tied) return;
  const bool equal = embedding != contents.tensors.end() && embedding->byte_count == head->byte_count &&
                     embedding->storage == head->storage &&
                     std::memcmp(embedding->bytes, head->bytes, head->byte_count) == 0;
  if (!equal) {
    io::reject(where + ": tensor 'lm_head.weight'", "the embedding's values, as tie_word_embeddings is true", "others");
  }
  contents.tensors.erase(head);
}

void read_companions(Contents& contents, const fs::path& folder, io::Access access) {
  if (const auto file = open_if_there(folder / "generation_config.json", access)) {
    auto eos = read_generation_eos(text_of(*file), io::printable(file->path()), contents.shape.vocab);
    if (eos) contents.eos = std::move(*eos);  // as transformers: it stands before config.json
    contents.sampling = read_generation_sampling(text_of(*file), io::printable(file->path()));
    const auto ignored = generation_warnings(text_of(*file), io::printable(file->path()));
    contents.warnings.insert(contents.warnings.end(), ignored.begin(), ignored.end());
  }
  if (const auto file = open_if_there(folder / "tokenizer_config.json", access)) {
    contents.chat_template = read_tokenizer_config(text_of(*file), io::printable(file->path()));
  }
  if (const auto file = open_if_there(folder / "chat_template.jinja", access)) {
    io::require_utf8(text_of(*file), io::printable(file->path()));
    contents.chat_template = std::string(text_of(*file));
  }
  if (auto file = open_if_there(folder / "tokenizer.json", access)) {
    contents.tokenizer = TokenizerJson{text_of(*file), io::printable(file->path())};
    contents.files.push_back(std::move(*file));
  }
}

void read_config(Contents& contents, const fs::path& folder, io::Access access) {
  const io::MappedFile file(folder / "config.json", access);
  ConfigJson config = read_config_json(text_of(file), io::printable(file.path()));
  contents.shape = config.shape;
  contents.eos = std::move(config.eos);
  contents.special = config.special;
  contents.warnings = std::move(config.warnings);
}

void finish(Contents& contents, const fs::path& folder, io::Access access) {
  resolve_tie(contents, io::printable(folder.string()));
  read_companions(contents, folder, access);
}

}  // namespace

Contents read_hugging_face_folder(const fs::path& folder, io::Access access) {
  Contents contents;
  read_config(contents, folder, access);
  if (auto single = open_if_there(folder / "model.safetensors", access)) {
    add_tensors(contents, std::move(*single));
    contents.format = "safetensors";
  } else if (const auto index = open_if_there(folder / "model.safetensors.index.json", access)) {
    add_shards(contents, folder, *index, access);
  } else {
    io::reject(io::printable(folder.string()), "model.safetensors or model.safetensors.index.json", "neither");
  }
  finish(contents, folder, access);
  return contents;
}

Contents read_safetensors_checkpoint(io::MappedFile file, io::Access access) {
  const fs::path folder = fs::path(file.path()).parent_path();
  Contents contents;
  read_config(contents, folder, access);
  add_tensors(contents, std::move(file));
  contents.format = "safetensors";
  finish(contents, folder, access);
  return contents;
}

}  // namespace lawful::model
