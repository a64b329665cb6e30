// UTF-8 as the Unicode standard defines it (section 3.9): no overlong forms, no surrogates, nothing above U+10FFFF.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace lawful::io {

/// The offset of the first byte that is not part of a valid character, or text.size() if there is none. A character
/// cut short by the end counts as bad from its first byte.
std::size_t valid_utf8_prefix(std::string_view text);

/// Throws BadInput, naming `thing` and the offset of the first bad byte, unless `text` is valid UTF-8.
void require_utf8(std::string_view text, std::string_view thing);

/// How many bytes at the end of `bytes` begin a character that more bytes could still complete: 0 to 3.
std::size_t unfinished_utf8_suffix(std::string_view bytes);

/// `bytes` with one U+FFFD for each maximal subpart of an ill-formed sequence, as Python's decode(errors="replace").
std::string replace_invalid_utf8(std::string_view bytes);

}  // namespace lawful::io
