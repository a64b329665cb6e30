// Any bytes as a tokenizer.json; one that is accepted must encode and decode.
#include "props/fuzz/demand.hpp"
#include "tokenizer/tokenizer_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lawful;
  props::refused_or_sound([&] {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto tokenizer = tokenizer::read_tokenizer_json(text, "tokenizer.json");
    const auto ids = tokenizer.encode("the ant, 12 hens\n\n and <|im_end|>");
    for (const auto id : ids) props::demand(id < tokenizer.size());
    tokenizer.decode(ids);
  });
  return 0;
}
