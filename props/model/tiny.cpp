#include "props/model/tiny.hpp"

#include "props/kernels/numbers.hpp"

#include <algorithm>

namespace lawful::props {

namespace {

Tiny opened(std::unique_ptr<TemporaryFolder> folder, const std::filesystem::path& path) {
  Tiny out;
  out.folder = std::move(folder);
  out.checkpoint = std::make_unique<model::Checkpoint>(model::Checkpoint::open(path));
  out.model = model::Model::load(*out.checkpoint);
  return out;
}

}  // namespace

TestModel tiny_weights(std::uint64_t seed) { return make_test_model(model::tiny::config, seed); }

Tiny tiny_gguf(const TestModel& weights, kernels::Storage matrices) {
  GgufOptions options;
  options.matrices = matrices;
  auto folder = std::make_unique<TemporaryFolder>();
  const auto path = folder->file("tiny.gguf", gguf_image(weights, options).bytes());
  return opened(std::move(folder), path);
}

Tiny tiny_folder(const TestModel& weights, kernels::Storage storage) {
  FolderOptions options;
  options.storage = storage;
  auto folder = std::make_unique<TemporaryFolder>();
  const auto path = folder->path();
  write_folder(weights, path, options);
  return opened(std::move(folder), path);
}

Ids random_ids(std::size_t count, std::uint64_t seed) {
  Numbers numbers(seed);
  Ids out(count);
  for (auto& id : out) id = static_cast<std::uint32_t>(numbers.below(model::tiny::config.vocab));
  return out;
}

std::vector<float> values(const model::Logits& logits) {
  std::vector<float> out;
  for (std::size_t i = 0; i < logits.rows(); ++i) {
    const auto row = logits.row(i);
    out.insert(out.end(), row.begin(), row.end());
  }
  return out;
}

std::vector<float> append_in(model::Sequence& sequence, std::span<const std::uint32_t> ids,
                             const std::vector<std::size_t>& cuts) {
  std::vector<float> out;
  for (std::size_t piece = 0; !ids.empty(); ++piece) {
    const auto some = ids.first(std::min(cuts[piece % cuts.size()], ids.size()));
    const auto logits = values(sequence.append(some, some.size()));
    out.insert(out.end(), logits.begin(), logits.end());
    ids = ids.subspan(some.size());
  }
  return out;
}

std::vector<float> whole(const model::Model& model, std::span<const std::uint32_t> ids) {
  return append_in(*model.sequence(model.config().context), ids, {ids.size()});
}

}  // namespace lawful::props
