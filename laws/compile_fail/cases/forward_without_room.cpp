// A forward pass without a room witness.
// expect: Expected<KvRoom<M>>, Observed<Tokens<M>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  forward(p.weights, p.cache, p.tokens, 1, [](auto) { return Unwatched(); });
#else
  forward(p.weights, p.cache, move(p.room), p.tokens, 1, [](auto) { return Unwatched(); });
#endif
}
