#include "model/sequence.hpp"

#include "io/bad_input.hpp"
#include "model/finite.hpp"
#include "model/forward.hpp"
#include "model/load.hpp"
#include "model/side_by_side.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace lawful::model {
namespace {

/// What is looked at while the layers compute: their values for a Watcher, and whether they are finite.
struct Watched {
  const Watcher* watcher;
  NotFinite* found;   ///< where every value is searched; null where only the last layer's output is checked
  bool* finite;       ///< of that output
  std::size_t layer;

  template <class A>
  void operator()(const Rows<A>& rows) const {
    using M = typename A::Model;
    const std::size_t count = rows.count() * A::size;
    if (found != nullptr) return found->look(layer, rows);
    if constexpr (std::is_same_v<A, BlockOut<M>>)
      if (layer + 1 == M::config.layers) *finite = first_not_finite(rows.data(), count) == count;
    if (!*watcher) return;
    const std::vector<float> values(rows.data(), rows.data() + count);
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
    const std::size_t before = length();
    bool finite = true;
    auto logits = std::make_shared<const Rows<Vocab<M>>>(pass(tokens, wanted, {&watcher, nullptr, &finite, 0}));
    const float* data = logits->data();
    const std::size_t rows = logits->count(), count = rows * M::config.vocab;
    if (!finite || first_not_finite(data, count) != count) refuse(tokens, before);
    return {std::move(logits), data, rows, M::config.vocab};
  }

  bool is_of(const Weights<M>& weights) const { return &weights == &weights_; }

  /// What a pass of several sequences needs of this one. Throws io::BadInput as append() does.
  Part<M> part(std::span<const std::uint32_t> ids, std::size_t wanted) {
    const Tokens<M> tokens(ids);
    return {cache_, room(tokens), tokens, wanted};
  }

  /// Takes back the last `ids`, which were appended with others and are not finite; says what append() would have.
  std::string take_back(std::span<const std::uint32_t> ids) {
    try {
      refuse(Tokens<M>(ids), length() - ids.size());
    } catch (const io::Failure& failure) {
      return failure.what();
    }
  }

 private:
  KvRoom<M> room(const Tokens<M>& tokens) const {
    auto room = cache_.room(tokens.count());
    if (!room)
      io::reject("tokens", fmt::format("1 to {} (the context has {} positions, {} are taken)", left(), capacity(), length()),
                 fmt::to_string(tokens.count()));
    return *std::move(room);
  }

  Rows<Vocab<M>> pass(const Tokens<M>& tokens, std::size_t wanted, Watched watched) {
    return forward(weights_, cache_, room(tokens), tokens, wanted, [&](LayerIndex<M> layer) {
      watched.layer = layer.number();
      return watched;
    });
  }

  /// Computes the tokens again to say where they stop being finite; leaves the sequence as it was before them.
  [[noreturn]] void refuse(const Tokens<M>& tokens, std::size_t before) {
    cache_.truncate(before);
    NotFinite found{before, {}};
    pass(tokens, 0, {nullptr, &found, nullptr, 0});
    cache_.truncate(before);
    const auto weight = not_finite_weight(weights_);
    throw io::Failure(fmt::format("not a finite number: {}; {}",
                                  found.place.empty() ? "logits, the layers being finite" : found.place,
                                  weight ? "tensor " + *weight : "all weights are finite, so F32 overflowed"));
  }

  const Weights<M>& weights_;
  KvCache<M> cache_;
};

/// Keeps, for each row that leaves the last layer, whether it is finite.
struct FiniteRows {
  std::vector<bool>* finite;
  std::size_t layer;

  template <class A>
  void operator()(const Rows<A>& rows) const {
    using M = typename A::Model;
    if constexpr (std::is_same_v<A, BlockOut<M>>)
      if (layer + 1 == M::config.layers)
        for (std::size_t i = 0; i < rows.count(); ++i)
          finite->push_back(first_not_finite(rows.row(i).data(), A::size) == A::size);
  }
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
  std::vector<double> embedding(std::span<const std::uint32_t> ids) const override {
    const auto rows = embed(weights_.model.embed_tokens, Tokens<M>(ids));
    return {rows.data(), rows.data() + rows.count() * rows.width};
  }
  Logits read_out(std::span<const double> stream) const override {
    Rows<BlockOut<M>> rows(stream.size() / Rows<BlockOut<M>>::width);
    if (stream.size() != rows.count() * rows.width) throw std::logic_error("read_out: not whole rows");
    std::ranges::copy(stream, rows.data());
    auto logits = std::make_shared<const Rows<Vocab<M>>>(project(norm(rows, weights_.model.norm), weights_.lm_head));
    const float* data = logits->data();
    return {std::move(logits), data, rows.count(), M::config.vocab};
  }

  std::vector<Appended> append(std::span<const Appending> all) const override {
    if (all.empty()) return {};
    std::vector<Part<M>> parts;
    for (const Appending& one : all) parts.push_back(mine(one.sequence).part(one.ids, one.wanted));
    std::vector<bool> finite;
    const auto logits = std::make_shared<const Rows<Vocab<M>>>(
        forward(weights_, std::move(parts), [&](LayerIndex<M> layer) { return FiniteRows{&finite, layer.number()}; }));
    std::vector<Appended> out;
    for (std::size_t row = 0, logit = 0; const Appending& one : all) {
      const float* data = logits->data() + logit * M::config.vocab;
      const std::size_t rows = std::min(one.wanted, one.ids.size()), count = rows * M::config.vocab;
      const auto from = finite.begin() + static_cast<std::ptrdiff_t>(row);
      const bool good = std::all_of(from, from + static_cast<std::ptrdiff_t>(one.ids.size()), [](bool x) { return x; }) &&
                        first_not_finite(data, count) == count;
      out.push_back({{logits, data, rows, M::config.vocab}, good ? "" : mine(one.sequence).take_back(one.ids)});
      row += one.ids.size();
      logit += rows;
    }
    return out;
  }

 private:
  SequenceOf<M>& mine(Sequence& sequence) const {
    auto* found = dynamic_cast<SequenceOf<M>*>(&sequence);
    if (found == nullptr || !found->is_of(weights_)) throw std::logic_error("append: a sequence of another model");
    return *found;
  }

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
