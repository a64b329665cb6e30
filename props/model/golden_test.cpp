// Digests of a whole model's logits, the same in every build (see props/kernels/golden_test.cpp).
#include "io/sha256.hpp"
#include "props/kernels/settings.hpp"
#include "props/model/tiny.hpp"

using namespace lawful::props;

TEST_CASE("every build gives the committed logits of the tiny model") {
  const Tiny tiny = tiny_gguf(tiny_weights(6), lawful::kernels::Storage::q4_1);
  on_every_setting([&] {
    const auto logits = append_in(*tiny.sequence(), random_ids(64, 71), {13, 1});
    CHECK(lawful::io::hex(lawful::io::sha256(std::as_bytes(std::span(logits)))).substr(0, 16) == "4a70ca5f1aa50ad1");
  });
}
