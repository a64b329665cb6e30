// How much each token attends to each before it, computed anew from rotated queries and keys: the kernels never hold the
// weights of a whole text.
#pragma once
#include "model/config.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace lawful::viewer {

/// What the weights of a row add up to, in all.
inline constexpr std::uint16_t whole_weight = 65535;

/// The weights of one layer in whole_weight-ths: for each query head, for each token t, those of tokens 0 … t. Scores and
/// softmax are computed in double; a row is rounded so that it adds up to whole_weight exactly.
/// `q` is tokens × dim and `k` tokens × kvw, both after RoPE.
std::vector<std::uint16_t> attention_weights(const model::Config& config, std::span<const float> q,
                                             std::span<const float> k, std::size_t tokens);

/// `shares`, which are not negative and not all 0, in whole_weight-ths that add up to whole_weight: rounded down, and
/// what is left over goes to the largest remainders, of equal ones the first.
std::vector<std::uint16_t> in_wholes(std::span<const double> shares);

}  // namespace lawful::viewer
