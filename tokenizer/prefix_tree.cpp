#include "tokenizer/prefix_tree.hpp"

#include <algorithm>
#include <bit>

namespace lawful::tokenizer {
namespace {

/// The members, shorter ones first: a prefix comes before what it begins.
std::vector<Id> by_length(const Vocabulary& vocabulary, const std::vector<bool>& member) {
  std::vector<std::uint32_t> begin_of_length;
  for (Id id = 0; id < vocabulary.size(); ++id) {
    if (!member[id]) continue;
    const std::size_t length = vocabulary.bytes(id).size();
    if (begin_of_length.size() < length + 2) begin_of_length.resize(length + 2);
    ++begin_of_length[length + 1];
  }
  for (std::size_t i = 1; i < begin_of_length.size(); ++i) begin_of_length[i] += begin_of_length[i - 1];
  std::vector<Id> ids(begin_of_length.empty() ? 0 : begin_of_length.back());
  for (Id id = 0; id < vocabulary.size(); ++id) {
    if (member[id]) ids[begin_of_length[vocabulary.bytes(id).size()]++] = id;
  }
  return ids;
}

}  // namespace

PrefixTree::PrefixTree(const Vocabulary& vocabulary, const std::vector<bool>& member) {
  const std::vector<Id> members = by_length(vocabulary, member);
  std::size_t slots = std::bit_ceil(4 * members.size() + 4);
  while (!build(vocabulary, members, slots)) slots *= 2;
}

bool PrefixTree::build(const Vocabulary& vocabulary, const std::vector<Id>& members, std::size_t slots) {
  edges_.assign(slots, Edge{no_key, Vocabulary::none});
  shorter_.assign(vocabulary.size(), Vocabulary::none);
  mask_ = static_cast<std::uint32_t>(slots - 1);
  shift_ = 32U - static_cast<unsigned>(std::countr_zero(slots));
  std::size_t free = slots / 8 * 5;  // fuller than this, runs of full slots grow long
  for (const Id id : members) {
    std::uint32_t node = root;
    for (const char c : vocabulary.bytes(id)) {
      if (node != root && edges_[node].token != Vocabulary::none) shorter_[id] = edges_[node].token;
      const std::uint32_t key = node << 8 | static_cast<unsigned char>(c);
      node = slot_of(key);
      if (edges_[node].key == key) continue;
      if (free-- == 0) return false;
      edges_[node].key = key;
    }
    edges_[node].token = id;
  }
  return true;
}

}  // namespace lawful::tokenizer
