// The embedding taken for the output matrix, which is another role even where the two are tied.
// expect: Expected<Linear<AnyAxis, Final<M>>>, Observed<Embedding<Vocab<M>, Residual<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  project(p.last, p.weights.model.embed_tokens);
#else
  project(p.last, p.weights.lm_head);
#endif
}
