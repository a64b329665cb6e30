// Special tokens written in a text: <|im_start|> and its like.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary.hpp"

namespace lawful::tokenizer {

/// Finds control tokens as they are written, the leftmost first, of those at one place the longest. In linear time,
/// however many there are and whatever they are: an automaton of the tokens spelled backwards (Aho and Corasick 1975,
/// doi:10.1145/360825.360855) reads the text from its end, and knows at each place the longest token that begins there.
class SpecialTokens {
 public:
  explicit SpecialTokens(const Vocabulary& vocabulary);

  struct Found {
    std::size_t begin;
    Id id;
    std::uint32_t length;
  };
  /// All in `text`, in order.
  std::vector<Found> find(std::string_view text) const;

 private:
  using Node = std::uint32_t;
  static constexpr Node root = 0;
  static constexpr std::uint32_t no_word = ~std::uint32_t{0};

  struct Word {
    std::string_view text;
    Id id;
  };
  void build_tree();
  void build_failures();

  /// The child of a node by a byte, or `root` if there is none.
  Node child(Node node, char byte) const;
  /// The node of the longest ending of node's string and `byte` that a node stands for.
  Node step(Node node, char byte) const;
  /// All places where a token begins, with the longest there; the last place first.
  std::vector<Found> beginnings(std::string_view text) const;

  std::vector<Word> words_;  // sorted by their text from the end
  // Nodes are numbered by depth, so that the children of node n are neighbours: first_child_[n] up to [n + 1].
  std::vector<Node> first_child_;
  std::vector<char> bytes_;           // by which the parent leads to a node; they rise among neighbours
  std::vector<Node> failure_;         // the longest proper ending of a node's string that is a node's too
  std::vector<std::uint32_t> word_;   // the longest word that a node's string ends with, or no_word
  std::array<bool, 256> ends_one_{};  // by byte: whether one of them ends with it
  bool same_start_ = true;            // whether all begin with the same byte
};

}  // namespace lawful::tokenizer
