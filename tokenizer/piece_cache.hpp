// The ids of short pieces that are more than one token: real text uses few of them again and again.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tokenizer/piece_table.hpp"

namespace lawful::tokenizer {

/// Direct-mapped: a new piece displaces the one in its place. For one thread. What it holds never changes a result.
class PieceCache {
 public:
  /// For texts of about that many bytes. Takes memory, up to 256 KB, with the first remember().
  explicit PieceCache(std::size_t text_bytes)
      : count_(std::clamp(text_bytes / bytes_an_entry, least_entries, most_entries)) {}

  /// The ids of a piece, or none if it is not remembered.
  std::span<const Id> find(const PieceKey& key) const {
    if (entries_.empty()) return {};
    const Entry& entry = entries_[place(key)];
    return entry.key == key ? std::span<const Id>(entry.ids, entry.count) : std::span<const Id>();
  }

  void remember(const PieceKey& key, std::span<const Id> ids) {
    if (ids.empty() || ids.size() > most_ids) return;
    if (entries_.empty()) entries_.resize(count_);
    Entry& entry = entries_[place(key)];
    entry.key = key;
    entry.count = static_cast<std::uint32_t>(ids.size());
    std::copy(ids.begin(), ids.end(), entry.ids);
  }

 private:
  static constexpr std::size_t bytes_an_entry = 32, least_entries = 16, most_entries = 4096, most_ids = 11;
  struct Entry {
    PieceKey key{0, 0};  // of no piece: its length is 0
    std::uint32_t count = 0;
    Id ids[most_ids] = {};
  };
  static_assert(sizeof(Entry) == 64);

  std::size_t place(const PieceKey& key) const { return static_cast<std::size_t>(key.hash(hash_key_) * count_ >> 32); }

  HashKey hash_key_;
  std::size_t count_;
  std::vector<Entry> entries_;
};

}  // namespace lawful::tokenizer
