// What the layers compute: for each, the length of the residual stream after attention and after the MLP, at the last
// token, seen by a watcher while the model runs.
//
//     intermediates MODEL TEXT
#include "io/bad_input.hpp"
#include "model/checkpoint/checkpoint.hpp"
#include "model/sequence.hpp"

#include <cmath>
#include <cstdio>

using namespace lawful;

int main(int count, char** arguments) try {
  if (count != 3) return std::fputs("usage: intermediates MODEL TEXT\n", stderr), 2;
  auto checkpoint = model::Checkpoint::open(arguments[1]);
  const auto tokenizer = checkpoint.tokenizer();
  const auto model = model::Model::load(checkpoint);
  const auto sequence = model->sequence(model->config().context);

  // Called for n1, q, k, v, qr, kr, attn, a, n2, m and y of each layer, in the order in which they are made:
  // `rows` tokens of `width` values.
  const model::Watcher watcher = [](std::size_t layer, std::string_view name, std::size_t rows, std::size_t width,
                                    std::span<const float> values) {
    if (name != "a" && name != "y") return;
    double squares = 0.0;
    for (const float x : values.subspan((rows - 1) * width)) squares += static_cast<double>(x) * x;
    if (name == "a")
      std::printf("layer %2zu   after attention %12.4f", layer, std::sqrt(squares));
    else
      std::printf("   after MLP %12.4f\n", std::sqrt(squares));
  };
  sequence->append(tokenizer.encode(arguments[2]), 0, watcher);
} catch (const io::BadInput& error) {
  return std::fprintf(stderr, "intermediates: %s\n", error.what()), 2;
}
