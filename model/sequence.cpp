#include "model/sequence.hpp"

#include "model/forward.hpp"
#include "model/load.hpp"

#include <vector>

namespace lawful::model {
namespace {

/// Narrows a block's values for a Watcher.
struct Shown {
  const Watcher* watcher;
  std::size_t layer;

  template <class A>
  void operator()(const Rows<A>& rows) const {
    if (!*watcher) return;
    const std::vector<float> values(rows.data(), rows.data() + rows.count() * A::size);
    (*watcher)(layer, A::name, rows.count(), A::size, values);
  }
};

template <class M>
class SequenceOf final : public Sequence {
 public:
  SequenceOf(const Weights<M>& weights, std::size_t context) : weights_(weights), cache_(context) {}
  std::size_t length() const override { return cache_.length(); }
  std::size_t capacity() const override { return cache_.capacity(); }
  void truncate(std::size_t length) override { cache_.truncate(length); }

  Logits append(std::span<const std::uint32_t> ids, std::size_t wanted, const Watcher& watcher) override {
    const Tokens<M> tokens(ids);
    auto room = cache_.room(tokens.count());
    if (!room)
      io::reject("tokens", fmt::format("1 to {} (the context has {} positions, {} are taken)", left(), capacity(), length()),
                 fmt::to_string(tokens.count()));
    auto logits = std::make_shared<const Rows<Vocab<M>>>(
        forward(weights_, cache_, *std::move(room), tokens, wanted,
                [&](std::size_t layer) { return Shown{&watcher, layer}; }));
    const float* data = logits->data();
    const std::size_t rows = logits->count();
    return {std::move(logits), data, rows, M::config.vocab};
  }

 private:
  const Weights<M>& weights_;
  KvCache<M> cache_;
};

template <class M>
class ModelOf final : public Model {
 public:
  explicit ModelOf(Checkpoint& checkpoint) : weights_(load_weights<M>(checkpoint)) {}
  const Config& config() const override { return M::config; }
  std::size_t cache_bytes(std::size_t context) const override { return KvCache<M>::bytes(context); }
  std::size_t layout_values() const override { return layout_count<M>; }
  std::unique_ptr<Sequence> sequence(std::size_t context) const override {
    return std::make_unique<SequenceOf<M>>(weights_, context);
  }

 private:
  Weights<M> weights_;
};

template <class... M>
std::unique_ptr<Model> load_one_of(Checkpoint& checkpoint) {
  std::unique_ptr<Model> model;
  ((has_shape<M>(checkpoint.shape()) ? void(model = std::make_unique<ModelOf<M>>(checkpoint)) : void()), ...);
  if (model == nullptr)
    io::reject(checkpoint.path(), "the shape of " + (describe(M::config) + ...), describe(checkpoint.shape()));
  return model;
}

}  // namespace

std::unique_ptr<Model> Model::load(Checkpoint& checkpoint) {
  return load_one_of<smollm2_135m, smollm2_360m, smollm2_1_7b, tiny>(checkpoint);
}

}  // namespace lawful::model
