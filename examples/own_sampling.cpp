// A sampling loop of one's own: temperature, and a generator whose numbers depend on the seed and the position alone.
//
//     own_sampling MODEL TEXT TOKENS TEMPERATURE SEED
#include "io/bad_input.hpp"
#include "model/checkpoint/checkpoint.hpp"
#include "model/generate.hpp"
#include "model/sequence.hpp"
#include "tokenizer/detokenizer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace lawful;

/// The n-th number of a seed in [0, 1): SplitMix64 of both (Steele, Lea, Flood 2014).
double uniform(std::uint64_t seed, std::uint64_t n) {
  std::uint64_t z = seed + (n + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/// The id at which the probabilities, added from id 0 on, pass `u`.
std::uint32_t sample(std::span<const float> logits, double temperature, double u) {
  const std::uint32_t best = model::argmax(logits);
  if (temperature == 0.0) return best;
  std::vector<double> upto;
  double sum = 0.0;
  for (const float x : logits) upto.push_back(sum += std::exp((x - logits[best]) / temperature));
  return static_cast<std::uint32_t>(std::ranges::upper_bound(upto, u * sum) - upto.begin());
}

int main(int count, char** arguments) try {
  if (count != 6) return std::fputs("usage: own_sampling MODEL TEXT TOKENS TEMPERATURE SEED\n", stderr), 2;
  const std::size_t tokens = std::strtoul(arguments[3], nullptr, 10);
  const double temperature = std::strtod(arguments[4], nullptr);
  const std::uint64_t seed = std::strtoull(arguments[5], nullptr, 10);
  auto checkpoint = model::Checkpoint::open(arguments[1]);
  const auto tokenizer = checkpoint.tokenizer();
  const auto model = model::Model::load(checkpoint);
  const auto sequence = model->sequence(model->config().context);

  auto logits = sequence->append(tokenizer.encode(arguments[2]), 1);
  tokenizer::Detokenizer text(tokenizer);
  for (std::size_t i = 0; i < tokens; ++i) {
    const std::uint32_t id = sample(logits.row(0), temperature, uniform(seed, i));
    if (std::ranges::count(checkpoint.eos(), id) != 0) break;
    std::fputs(std::string(text.push(id)).c_str(), stdout);
    if (i + 1 == tokens || sequence->left() == 0) break;
    logits = sequence->append(std::span(&id, 1), 1);
  }
  std::printf("%s\n", std::string(text.finish()).c_str());
} catch (const io::BadInput& error) {
  return std::fprintf(stderr, "own_sampling: %s\n", error.what()), 2;
}
