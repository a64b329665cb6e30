#include "model/generate.hpp"

#include "io/bad_input.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace lawful::model {

std::uint32_t argmax(std::span<const float> logits) {
  // Two plain passes, since both become vector code: over bits for what is not finite and for the largest (as signed
  // integers in the order of the floats), then for the first that equals it.
  constexpr std::uint32_t exponent = 0x7f800000;
  std::int32_t largest = std::numeric_limits<std::int32_t>::min();
  std::uint32_t unusable = 0;
  for (const float x : logits) {
    const auto bits = std::bit_cast<std::int32_t>(x);
    const std::int32_t ordered = bits ^ ((bits >> 31) & 0x7fffffff);
    largest = ordered > largest ? ordered : largest;
    unusable |= (std::bit_cast<std::uint32_t>(x) & exponent) == exponent ? 1U : 0U;
  }
  const float most = std::bit_cast<float>(largest ^ ((largest >> 31) & 0x7fffffff));
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (unusable != 0 && !std::isfinite(logits[i]))
      throw io::Failure(fmt::format("logits: id {} has the value {}; the weights or the activations are not finite", i,
                                    logits[i]));
    if (unusable == 0 && logits[i] == most) return static_cast<std::uint32_t>(i);
  }
  throw io::Failure("logits: none");
}

std::size_t default_chunk(const Config& config) { return config.ffn > 4096 ? 128 : 256; }

Logits prefill(Sequence& sequence, std::span<const std::uint32_t> ids, std::size_t chunk,
               const std::function<void(std::size_t)>& between) {
  if (ids.empty()) io::reject("prompt", "at least one token", "none");
  if (ids.size() > sequence.left())
    io::reject("prompt",
               fmt::format("at most {} tokens (the context has {} positions, {} are taken)", sequence.left(),
                           sequence.capacity(), sequence.length()),
               fmt::to_string(ids.size()));
  for (std::size_t done = 0;;) {
    const auto piece = ids.subspan(done, std::min(chunk, ids.size() - done));
    const bool last = done + piece.size() == ids.size();
    Logits logits = sequence.append(piece, last ? 1 : 0);
    done += piece.size();
    between(done);
    if (last) return logits;
  }
}

std::string_view name(Stop stop) {
  switch (stop) {
    case Stop::eos: return "eos";
    case Stop::length: return "length";
    case Stop::context: return "context";
  }
  return "";
}

Generated generate(Sequence& sequence, Logits logits, const Limits& limits,
                   const std::function<void(std::uint32_t)>& seen) {
  Generated out{{}, Stop::length};
  while (out.ids.size() < limits.tokens) {
    const std::uint32_t id = argmax(logits.row(0));
    if (std::ranges::find(limits.eos, id) != limits.eos.end()) {
      out.stop = Stop::eos;
      break;
    }
    out.ids.push_back(id);
    seen(id);
    if (out.ids.size() == limits.tokens) break;
    if (sequence.left() == 0) {
      out.stop = Stop::context;
      break;
    }
    logits = sequence.append(std::span(&id, 1), 1);
  }
  return out;
}

}  // namespace lawful::model
