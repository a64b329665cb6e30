// Pre-tokenization: where a text is cut before merging. Written by hand: no regex engine, no recursion, one pass.
#pragma once
#include <cstddef>
#include <string_view>

namespace lawful::tokenizer {

/// The end of the piece that begins at `begin` < text.size(). `text` is valid UTF-8 without special tokens.
///
/// Each numeric character is a piece of its own. What lies between two of them (or the text's ends) is cut by GPT-2's
/// regex, leftmost alternative first:
///   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
/// so a run of spaces gives its last character to the piece that follows, if it is U+0020, or leaves it alone; unless
/// a numeric character or the end of the text follows: then the run is one piece.
std::size_t piece_end(std::string_view text, std::size_t begin);

}  // namespace lawful::tokenizer
