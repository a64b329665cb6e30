// The forward pass, as the architecture reads. Every line is typed by role: any other wiring does not compile, and says
// why (model/faults.hpp, docs/wiring.md).
#pragma once
#include "model/operations.hpp"
#include "model/weights.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace lawful::model {

/// Sees nothing; a watch that does is called with each Rows of a block, in the order in which they are made.
struct Unwatched {
  template <class A>
  void operator()(const Rows<A>&) const {}
};

/// What a watch sees of a block, in the order in which it is made.
template <class M>
using BlockValues = Values<Rows<AttnInput<M>>, Rows<Query<M>>, Rows<Key<M>>, Rows<Value<M>>, Rows<Rotated<Query<M>>>,
                           Rows<Rotated<Key<M>>>, Rows<Attended<M>>, Rows<AttnResidual<M>>, Rows<MlpInput<M>>,
                           Rows<Gated<M>>, Rows<BlockOut<M>>>;

/// Shows a block's values to `watch`: all of them, in their order.
template <class M, class Watch, class... A>
  requires std::is_same_v<Values<Rows<A>...>, BlockValues<M>>
Shown<M> shown(Watch& watch, const Rows<A>&... rows) {
  return ((watch(rows), ...), Shown<M>());
}

/// One layer. Spends `room` on the new tokens' keys and values, which are pushed before attention reads them.
template <class M, class Extents, std::size_t... Count, class Watch = Unwatched>
auto block(const Layer<M>& w, LayerCache<M, Extents> cache, Room<M, Extents, Count...> room, const Rows<Residual<M>>& x,
           Watch watch = {}) {
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
  auto y = add(a, project(m, w.mlp.down_proj));
  return Through(shown<M>(watch, n1, q, k, v, qr, kr, attn, a, n2, m, y), std::move(y), std::move(seen).cache());
}

/// Logits of the last `wanted` of `tokens`, which are appended to the sequence in `cache`.
/// `watch(layer)` makes the watch of a layer.
template <class M, class Watch>
Rows<Vocab<M>> forward(const Weights<M>& w, KvCache<M>& cache, KvRoom<M> room, const Tokens<M>& tokens,
                       std::size_t wanted, Watch&& watch) {
  auto y = cache.through(std::move(room), embed(w.model.embed_tokens, tokens),
                         [&](LayerIndex<M> layer, auto kv, auto here, const Rows<Residual<M>>& x) {
                           return block(layer.of(w.model.layers), std::move(kv), std::move(here), x, watch(layer));
                         });
  return project(norm(last_rows(std::move(y), wanted), w.model.norm), w.lm_head);
}

}  // namespace lawful::model

#include "model/forward_faults.hpp"
