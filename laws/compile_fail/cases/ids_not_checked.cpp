// Token ids that were not checked against the vocabulary.
// expect: Expected<Tokens<M>>, Observed<std::span<const unsigned int
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  embed(p.weights.model.embed_tokens, p.tokens.ids());
#else
  embed(p.weights.model.embed_tokens, p.tokens);
#endif
}
