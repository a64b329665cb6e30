// The five likeliest next tokens of a text, with their probabilities.
//
//     next_token MODEL TEXT
#include "io/bad_input.hpp"
#include "model/checkpoint/checkpoint.hpp"
#include "model/generate.hpp"
#include "model/sequence.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

using namespace lawful;

/// Softmax in double.
std::vector<double> probabilities(std::span<const float> logits) {
  const double most = *std::ranges::max_element(logits);
  std::vector<double> p;
  for (const float x : logits) p.push_back(std::exp(x - most));
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& x : p) x /= sum;
  return p;
}

int main(int count, char** arguments) try {
  if (count != 3) return std::fputs("usage: next_token MODEL TEXT\n", stderr), 2;
  // The model's weights stay in the mapped files of the checkpoint, a sequence's in the model: they live in this order.
  auto checkpoint = model::Checkpoint::open(arguments[1]);
  const auto tokenizer = checkpoint.tokenizer();
  const auto model = model::Model::load(checkpoint);
  const auto sequence = model->sequence(model->config().context);

  const auto ids = tokenizer.encode(arguments[2]);
  const auto logits = model::prefill(*sequence, ids, model::default_chunk(model->config()), [](std::size_t) {});

  const auto p = probabilities(logits.row(0));
  std::vector<tokenizer::Id> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](auto a, auto b) { return p[a] > p[b]; });
  for (const auto id : std::span(order).first(5))
    std::printf("%5u  %.6f  %s\n", id, p[id], tokenizer.decode(std::span(&id, 1)).c_str());
} catch (const io::BadInput& error) {
  return std::fprintf(stderr, "next_token: %s\n", error.what()), 2;
}
