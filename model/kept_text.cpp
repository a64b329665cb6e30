#include "model/kept_text.hpp"

#include "io/bad_input.hpp"

#include <algorithm>

namespace lawful::model {

Logits KeptText::prefill(std::span<const std::uint32_t> ids, std::size_t chunk,
                         const std::function<void(std::size_t)>& between) {
  if (ids.empty() || ids.size() > sequence_.capacity())
    io::reject("the conversation", fmt::format("1 to {} tokens, the positions of the context", sequence_.capacity()),
               fmt::to_string(ids.size()));
  next_.reset();
  const auto parted = std::ranges::mismatch(held_, ids).in1;
  kept_ = std::min(static_cast<std::size_t>(parted - held_.begin()), ids.size() - 1);
  held_.resize(kept_);
  sequence_.truncate(kept_);
  return model::prefill(sequence_, ids.subspan(kept_), chunk, [&](std::size_t done) {
    held_.assign(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(kept_ + done));
    between(held_.size());
  });
}

void KeptText::goes_on(std::uint32_t id) {
  if (next_) held_.push_back(*next_);
  next_ = id;
}

}  // namespace lawful::model
