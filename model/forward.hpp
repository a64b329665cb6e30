// The forward pass, as the architecture reads. Every line is typed by role: any other wiring does not compile.
#pragma once
#include "model/operations.hpp"
#include "model/weights.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lawful::model {

/// Sees nothing; a watch that does is called with each Rows of a block, in the order in which they are made.
struct Unwatched {
  template <class A>
  void operator()(const Rows<A>&) const {}
};

/// Shows a block's values to `watch` and hands on the last.
template <class M, class Watch>
Rows<BlockOut<M>> shown(Watch& watch, const Rows<AttnInput<M>>& n1, const Rows<Query<M>>& q, const Rows<Key<M>>& k,
                        const Rows<Value<M>>& v, const Rows<Rotated<Query<M>>>& qr, const Rows<Rotated<Key<M>>>& kr,
                        const Rows<Attended<M>>& attn, const Rows<AttnResidual<M>>& a, const Rows<MlpInput<M>>& n2,
                        const Rows<Gated<M>>& m, Rows<BlockOut<M>> y) {
  watch(n1), watch(q), watch(k), watch(v), watch(qr), watch(kr), watch(attn), watch(a), watch(n2), watch(m), watch(y);
  return y;
}

/// One layer. Spends `room` on the new tokens' keys and values, which are pushed before attention reads them.
template <class M, class Cache, class RoomOfCache, class Watch = Unwatched>
auto block(const Layer<M>& w, Cache cache, RoomOfCache room, const Rows<Residual<M>>& x, Watch watch = {}) {
  const auto at = room.positions();
  const auto n1 = norm(x, w.input_layernorm);
  const auto [q, k, v] = project(n1, w.self_attn.q_proj, w.self_attn.k_proj, w.self_attn.v_proj);
  const auto qr = rope(q, at);
  const auto kr = rope(k, at);
  auto seen = std::move(cache).push(std::move(room), kr, v);
  const auto attn = attention(qr, seen);
  const auto a = add(x, project(attn, w.self_attn.o_proj));
  const auto n2 = norm(a, w.post_attention_layernorm);
  const auto [gate, up] = project(n2, w.mlp.gate_proj, w.mlp.up_proj);
  const auto m = swiglu(gate, up);
  return Through{shown(watch, n1, q, k, v, qr, kr, attn, a, n2, m, add(a, project(m, w.mlp.down_proj))),
                 std::move(seen).cache()};
}

/// The last `count` rows; of the others no logits are wanted.
template <class A>
Rows<A> last_rows(Rows<A> rows, std::size_t count) {
  if (count >= rows.count()) return rows;
  Rows<A> out(count);
  std::copy_n(rows.data() + (rows.count() - count) * A::size, count * A::size, out.data());
  return out;
}

/// Logits of the last `wanted` of `tokens`, which are appended to the sequence in `cache`.
/// `watch(layer)` makes the watch of a layer.
template <class M, class Watch>
Rows<Vocab<M>> forward(const Weights<M>& w, KvCache<M>& cache, KvRoom<M> room, const Tokens<M>& tokens,
                       std::size_t wanted, Watch&& watch) {
  auto y = cache.through(std::move(room), embed(w.model.embed_tokens, tokens),
                         [&](std::size_t layer, auto kv, auto here, const Rows<Residual<M>>& x) {
                           return block(w.model.layers[layer], std::move(kv), std::move(here), x, watch(layer));
                         });
  return project(norm(last_rows(std::move(y), wanted), w.model.norm), w.lm_head);
}

}  // namespace lawful::model
