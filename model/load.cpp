#include "model/load.hpp"

namespace lawful::model {

std::string describe(const Config& c) {
  return fmt::format("{} ({} layers, width {}, {} heads over {} KV heads, MLP {}, vocabulary {}, context {}, theta {}); ",
                     c.name, c.layers, c.dim(), c.heads(), c.kv_heads, c.ffn, c.vocab, c.context, c.theta);
}

std::string describe(const Shape& s) {
  return fmt::format(
      "{} layers, width {}, {} heads of {} over {} KV heads, MLP {}, vocabulary {}, context {}, theta {}, eps {}",
      s.layers, s.dim, s.heads, s.head, s.kv_heads, s.ffn, s.vocab, s.context, s.theta, s.eps);
}

}  // namespace lawful::model
