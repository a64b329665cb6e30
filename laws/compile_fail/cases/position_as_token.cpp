// A position used as a token id.
// expect: Expected<Tokens<M>>, Observed<Positions<M>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  embed(p.weights.model.embed_tokens, p.at);
#else
  embed(p.weights.model.embed_tokens, p.tokens);
#endif
}
