// Many texts continued together, each by its own rules. One that ends makes room for the next at once, and the weights
// are read once for all that are under way.
#pragma once
#include "model/generate.hpp"
#include "model/sequence.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lawful::model {

/// A text to continue.
struct BatchText {
  std::vector<std::uint32_t> prompt;  ///< at least one id, and no more than the context has positions
  Limits limits;                      ///< as for generate(); nothing is guessed
  std::function<void(std::uint32_t)> seen = [](std::uint32_t) {};  ///< each new id, in order
};

/// What became of it: what generate() gives for the text alone, bit for bit, whatever was computed beside it.
struct BatchResult {
  std::size_t number = 0;  ///< as given to add()
  Generated made;
  std::string failure;     ///< why there is no more of it: numbers that are not finite; else empty
};

class Batch {
 public:
  struct Settings {
    std::size_t parallel;  ///< texts under way at most
    std::size_t context;   ///< positions of a text at most
    std::size_t rows;      ///< tokens that a pass computes at most, where no more texts are under way
  };
  Batch(const Model& model, Settings settings) : model_(model), settings_(settings) {}

  bool has_room() const { return under_way_.size() < settings_.parallel; }
  bool empty() const { return under_way_.empty(); }

  /// Takes a text in. Throws io::BadInput for a prompt that cannot be, io::Failure where there is no memory for it.
  void add(std::size_t number, BatchText text);

  /// One pass: a token of every text that is being continued, and as much of prompts as there are rows left. Gives the
  /// texts that ended.
  std::vector<BatchResult> step();

  /// Tokens that all passes together computed, prompts included, and those that were chosen.
  std::size_t computed() const { return computed_; }
  std::size_t chosen() const { return chosen_; }

 private:
  struct UnderWay {
    BatchText text;
    BatchResult result;
    Chooser chooser;
    std::unique_ptr<Sequence> sequence;
    std::vector<std::uint32_t> next;  // to be appended: what is left of the prompt, or the last id
    std::size_t piece = 0;            // of `next` that this pass computes
    bool ended = false;

    bool is_continued() const { return !result.made.ids.empty(); }
  };
  std::vector<UnderWay*> plan();
  void take(UnderWay& one, const Appended& made);
  static bool choose(UnderWay& one, std::span<const float> logits);
  std::vector<BatchResult> ended();

  const Model& model_;
  Settings settings_;
  std::list<UnderWay> under_way_;  // in the order in which they came
  std::size_t computed_ = 0, chosen_ = 0;
};

/// How many texts to continue together where the caller does not say: enough to use the weights well, and no more than
/// have caches of `context` positions in half of `memory` bytes.
std::size_t default_parallel(const Model& model, std::size_t context, std::size_t memory);

}  // namespace lawful::model
