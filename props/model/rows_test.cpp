// The memory of activations: pieces that are given back are used again, whatever the lengths of the texts.
#include "model/rows.hpp"

#include "props/property.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

namespace {

using lawful::model::Buffer;

TEST_CASE("texts of many lengths keep the memory of the longest") {
  std::thread([] {  // a thread of its own has pieces of its own
    for (std::size_t rows = 1; rows <= 200; ++rows) {
      const Buffer x(rows * 576 * 4), gate(rows * 1536 * 4), up(rows * 1536 * 4);
    }
    // A small piece may have taken the place of a large one of a shorter text: at most a tenth more than needed.
    const std::size_t longest = 200 * (576 + 1536 + 1536) * 4, kept = Buffer::kept_bytes();
    CHECK(kept >= longest);
    CHECK(kept <= longest + longest / 10);
    for (std::size_t rows = 200; rows > 0; --rows) {
      const Buffer x(rows * 576 * 4), gate(rows * 1536 * 4), up(rows * 1536 * 4);
    }
    CHECK(Buffer::kept_bytes() == kept);
  }).join();
}

/// Whether pieces of these sizes keep what was written to them; a size that 3 divides gives the oldest back instead.
/// In a thread of its own, which has pieces of its own.
bool pieces_are_sound(const std::vector<std::uint16_t>& sizes) {
  bool sound = true;
  std::thread([&] {
    std::vector<std::pair<Buffer, std::size_t>> used;
    std::size_t most = 0, largest = 0;
    for (const std::size_t size : sizes) {
      if (size % 3 == 0 && !used.empty()) {
        used.erase(used.begin());
        continue;
      }
      used.emplace_back(size, size);
      if (size > 0) std::memset(used.back().first.data(), static_cast<int>(size % 251), size);
      most = std::max(most, used.size());
      largest = std::max(largest, (size + 63) / 64 * 64);
    }
    for (const auto& [piece, size] : used)
      for (std::size_t at = 0; at < size; ++at)
        sound = sound && static_cast<const unsigned char*>(piece.data())[at] == size % 251;
    used.clear();
    sound = sound && Buffer::kept_bytes() <= most * largest;
  }).join();
  return sound;
}

TEST_CASE("pieces do not overlap, and never outnumber what was used at the same time") {
  lawful::props::property("memory of activations",
                          [](const std::vector<std::uint16_t>& sizes) { RC_ASSERT(pieces_are_sound(sizes)); });
}

}  // namespace
