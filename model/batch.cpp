#include "model/batch.hpp"

#include "io/bad_input.hpp"

#include <algorithm>
#include <utility>

namespace lawful::model {

void Batch::add(std::size_t number, BatchText text) {
  if (text.prompt.empty()) io::reject("prompt", "at least one token", "none");
  if (text.prompt.size() > settings_.context)
    io::reject("prompt", fmt::format("at most {} tokens (the context)", settings_.context),
               fmt::to_string(text.prompt.size()));
  for (const auto id : text.prompt)
    if (id >= model_.config().vocab)
      io::reject("token id", fmt::format("0 to {}", model_.config().vocab - 1), fmt::to_string(id));
  // No more positions than it can take: where it ends does not depend on it, and memory is what limits a batch.
  const std::size_t positions = text.prompt.size() + std::min(text.limits.tokens, settings_.context - text.prompt.size());
  Chooser chooser(text.limits.sampling, text.prompt);
  auto sequence = model_.sequence(positions);
  std::vector<std::uint32_t> next = text.prompt;
  const bool ended = text.limits.tokens == 0;
  under_way_.push_back({std::move(text), {}, std::move(chooser), std::move(sequence), std::move(next), 0, ended});
  under_way_.back().result.number = number;
}

std::vector<BatchResult> Batch::step() {
  const auto some = plan();
  std::vector<Appending> all;
  for (const UnderWay* one : some)
    all.push_back({*one->sequence, std::span(one->next).first(one->piece), one->piece == one->next.size() ? 1U : 0U});
  const auto made = model_.append(all);
  for (std::size_t i = 0; i < some.size(); ++i) take(*some[i], made[i]);
  return ended();
}

/// The texts of the next pass, each with the piece that it gets: those that are continued first, and then prompts in
/// the order in which they came.
std::vector<Batch::UnderWay*> Batch::plan() {
  std::vector<UnderWay*> some;
  for (const bool continued : {true, false})
    for (auto& one : under_way_)
      if (!one.ended && one.is_continued() == continued) some.push_back(&one);
  std::size_t left = settings_.rows;
  for (UnderWay* one : some) {
    one->piece = one->is_continued() ? 1 : std::min(one->next.size(), left);
    left -= std::min(one->piece, left);
  }
  std::erase_if(some, [](const UnderWay* one) { return one->piece == 0; });
  return some;
}

void Batch::take(UnderWay& one, const Appended& made) {
  computed_ += one.piece;
  if (!made.failure.empty()) {
    one.result.failure = made.failure;
    one.ended = true;
    return;
  }
  one.next.erase(one.next.begin(), one.next.begin() + static_cast<std::ptrdiff_t>(one.piece));
  if (one.next.empty()) {
    ++chosen_;
    one.ended = !choose(one, made.logits.row(0));
  }
}

/// Chooses the next id; false where the text ends, by the rules and in the order of generate().
bool Batch::choose(UnderWay& one, std::span<const float> logits) {
  const Limits& limits = one.text.limits;
  Generated& made = one.result.made;
  const auto end = [&](Stop stop) {
    made.stop = stop;
    return false;
  };
  const std::uint32_t id = one.chooser.choose(logits);
  if (limits.chosen_from) limits.chosen_from(logits, id);
  if (std::ranges::find(limits.eos, id) != limits.eos.end()) return end(Stop::eos);
  made.ids.push_back(id);
  one.chooser.append(id);
  one.text.seen(id);
  if (limits.stopped && limits.stopped()) return end(Stop::stop);
  if (made.ids.size() == limits.tokens) return end(Stop::length);
  if (one.sequence->left() == 0) return end(Stop::context);
  one.next = {id};
  return true;
}

std::vector<BatchResult> Batch::ended() {
  std::vector<BatchResult> out;
  for (auto& one : under_way_)
    if (one.ended) out.push_back(std::move(one.result));
  std::erase_if(under_way_, [](const UnderWay& one) { return one.ended; });
  return out;
}

std::size_t default_parallel(const Model& model, std::size_t context, std::size_t memory) {
  constexpr std::size_t most = 24;  // four groups of tokens of the matrix products; more gain little
  return std::clamp<std::size_t>(memory / 2 / model.cache_bytes(context), 1, most);
}

}  // namespace lawful::model
