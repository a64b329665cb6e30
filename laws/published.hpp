// The names of the 21 laws as published, in the order of the list. The registry must equal it.
#pragma once
#include <array>
#include <string_view>

namespace lawful::laws {

inline constexpr std::array<std::string_view, 21> published{
    "add_zero",  "add_succ",   "add_one",    "add_assoc", "smollm2_135m_sizes", "smollm2_360m_sizes", "smollm2_1_7b_sizes",
    "layout_135m", "layout_360m", "layout_1_7b", "head_split", "arrays_len", "kv_heads", "kv_room", "groups_len",
    "div_block", "div_blocks", "div_rest", "gqa_head", "read_len", "causal"};

}  // namespace lawful::laws
