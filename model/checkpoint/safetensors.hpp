// The safetensors container: a JSON header that lists tensors, then their bytes without gaps.
// Format: https://github.com/huggingface/safetensors#format
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/checkpoint/contents.hpp"

namespace lawful::model {

/// The tensors of one file, in the order of their bytes, with the names in the file. The header may have any length,
/// so the data may begin at any address. io::BadInput, naming `path` and the tensor, unless the header is within the
/// file and each tensor is F32, F16 or BF16 with as many bytes as its shape takes, and the tensors cover the data
/// exactly, without gaps, overlaps or a rest.
std::vector<StoredTensor> read_safetensors(std::span<const std::byte> bytes, const std::string& path);

}  // namespace lawful::model
