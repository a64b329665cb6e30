// The tiny model in memory, with weights from one seed, in any storage.
#pragma once
#include "model/checkpoint/checkpoint.hpp"
#include "model/sequence.hpp"
#include "props/checkpoint/build_files.hpp"
#include "props/temporary_folder.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lawful::props {

using Ids = std::vector<std::uint32_t>;

/// The checkpoint outlives the model, whose weights lie in it.
struct Tiny {
  std::unique_ptr<TemporaryFolder> folder;
  std::unique_ptr<model::Checkpoint> checkpoint;
  std::unique_ptr<model::Model> model;

  std::unique_ptr<model::Sequence> sequence() const { return model->sequence(model->config().context); }
};

TestModel tiny_weights(std::uint64_t seed = 1);
Tiny tiny_gguf(const TestModel& weights, kernels::Storage matrices = kernels::Storage::q8_0);
Tiny tiny_folder(const TestModel& weights, kernels::Storage storage);

/// Ids of the tiny vocabulary.
Ids random_ids(std::size_t count, std::uint64_t seed);

/// The logits of all rows, one after the other.
std::vector<float> values(const model::Logits& logits);

/// Appends `ids` in pieces of the sizes `cuts`, again and again; gives the logits of all of them.
std::vector<float> append_in(model::Sequence& sequence, std::span<const std::uint32_t> ids,
                             const std::vector<std::size_t>& cuts);

/// The logits of all `ids` in a sequence of their own, computed in one call.
std::vector<float> whole(const model::Model& model, std::span<const std::uint32_t> ids);

}  // namespace lawful::props
