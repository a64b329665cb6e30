// Any bytes as config.json, generation_config.json and tokenizer_config.json.
#include "model/checkpoint/config_json.hpp"
#include "props/fuzz/demand.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lawful;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  props::refused_or_sound([&] {
    const auto config = model::read_config_json(text, "config.json");
    const auto& s = config.shape;
    for (const auto n : {s.layers, s.dim, s.heads, s.kv_heads, s.head, s.ffn, s.vocab, s.context}) props::demand(n > 0);
    props::demand(s.theta > 0 && s.eps >= 0);
    for (const auto id : config.eos) props::demand(id < s.vocab);
  });
  props::refused_or_sound([&] {
    const auto eos = model::read_generation_eos(text, "generation_config.json", 256);
    for (const auto id : eos.value_or(std::vector<std::uint32_t>{})) props::demand(id < 256);
  });
  props::refused_or_sound([&] { model::read_tokenizer_config(text, "tokenizer_config.json"); });
  return 0;
}
