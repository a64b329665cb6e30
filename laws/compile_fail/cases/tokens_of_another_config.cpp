// Ids checked against the vocabulary of another model.
// expect: Expected<Tokens<M>>, Observed<Tokens<tiny>>
using M = MODEL;

using Other = tiny;

void line([[maybe_unused]] Parts<M>& p, [[maybe_unused]] Parts<Other>& other) {
#ifdef WRONG
  embed(p.weights.model.embed_tokens, other.tokens);
#else
  embed(p.weights.model.embed_tokens, p.tokens);
#endif
}
