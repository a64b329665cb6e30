// A model and the texts it continues, for callers that choose the model at run time.
#pragma once
#include "model/checkpoint/checkpoint.hpp"
#include "model/config.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lawful::model {

/// Logits of some positions: rows of one value for each id of the vocabulary.
class Logits {
 public:
  Logits(std::shared_ptr<const void> owner, const float* data, std::size_t rows, std::size_t vocab)
      : owner_(std::move(owner)), data_(data), rows_(rows), vocab_(vocab) {}
  std::size_t rows() const { return rows_; }
  std::span<const float> row(std::size_t i) const { return {data_ + i * vocab_, vocab_}; }

 private:
  std::shared_ptr<const void> owner_;
  const float* data_;
  std::size_t rows_, vocab_;
};

/// Sees a layer's values of one forward pass: name as in the oracle ("n1", "q", …), rows × width.
using Watcher = std::function<void(std::size_t layer, std::string_view name, std::size_t rows, std::size_t width,
                                   std::span<const float> values)>;

/// One text and its KV cache. What it has computed depends on its ids alone, not on how they were cut into calls.
class Sequence {
 public:
  virtual ~Sequence() = default;
  virtual std::size_t length() const = 0;    ///< tokens so far: the position of the next
  virtual std::size_t capacity() const = 0;  ///< positions in all
  std::size_t left() const { return capacity() - length(); }

  /// Appends `ids` and gives the logits of the last `wanted` of them (at most all). Throws io::BadInput where an id is
  /// not in the vocabulary, the ids are none, or more than left().
  virtual Logits append(std::span<const std::uint32_t> ids, std::size_t wanted, const Watcher& watcher = {}) = 0;

  /// Forgets the positions from `length` on.
  virtual void truncate(std::size_t length) = 0;
};

/// What one of several sequences is appended in one pass: as Sequence::append.
struct Appending {
  Sequence& sequence;
  std::span<const std::uint32_t> ids;
  std::size_t wanted;
};

/// What came of it.
struct Appended {
  Logits logits;        ///< of the wanted ids
  std::string failure;  ///< where they are not finite numbers: what append() would have thrown; else empty
};

/// Weights in memory, shared by any number of sequences.
class Model {
 public:
  virtual ~Model() = default;
  virtual const Config& config() const = 0;
  virtual std::size_t cache_bytes(std::size_t context) const = 0;  ///< of a sequence of `context` positions
  virtual std::size_t layout_values() const = 0;                   ///< values that the types add up to
  virtual std::unique_ptr<Sequence> sequence(std::size_t context) const = 0;

  /// The residual stream before the first layer: the ids' rows of the embedding, config().dim() values each. Throws
  /// io::BadInput where an id is not in the vocabulary.
  virtual std::vector<double> embedding(std::span<const std::uint32_t> ids) const = 0;
  /// What the final norm and the output matrix make of rows of a residual stream, config().dim() values each: of what
  /// leaves the last layer the logits, of what leaves an earlier one the logit lens (nostalgebraist 2020).
  virtual Logits read_out(std::span<const double> stream) const = 0;

  /// Appends to several sequences of this model in one pass over the weights. Each gets the bits of an append() of its
  /// own, whatever stands beside it; one that fails stays as it was, and the others do not notice. Throws
  /// std::logic_error where a sequence is named twice or is another model's, io::BadInput as append() does, before
  /// anything is computed.
  virtual std::vector<Appended> append(std::span<const Appending> all) const = 0;

  /// Takes every tensor out of `checkpoint`, which must outlive the model. The config is chosen by the checkpoint's
  /// shape; an unknown shape is an io::BadInput that lists the known ones.
  static std::unique_ptr<Model> load(Checkpoint& checkpoint);
};

}  // namespace lawful::model
