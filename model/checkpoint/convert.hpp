// A checkpoint written anew in another format or storage: the same function, bar the one rounding of each weight.
#pragma once
#include <filesystem>

#include "io/progress.hpp"
#include "kernels/storage.hpp"
#include "model/checkpoint/checkpoint.hpp"

namespace lawful::model {

/// Writes `from` to `to`: a GGUF file if the name ends in .gguf, else a new folder in the Hugging Face layout. Every
/// matrix is stored as `storage` (F32, F16, BF16 or, in GGUF, Q8_0); weights that are stored so already keep their
/// bits. In GGUF, vectors are F32 and the rows of Q and K lie in interleaved pairs; in a folder all tensors have one
/// type, as transformers writes them. The target appears whole or not at all.
///
/// `from` must be a model that loads (Model::load): names and shapes are not checked again. Throws io::BadInput for a
/// storage that the format or a value does not fit, for a target that is in the way and for a source that was rewritten
/// meanwhile, io::Failure where the machine refuses (disk full). `progress` is told bytes written and bytes in all, and
/// may throw to stop.
void convert(const Checkpoint& from, const std::filesystem::path& to, kernels::Storage storage,
             const io::Progress& progress = {});

}  // namespace lawful::model
