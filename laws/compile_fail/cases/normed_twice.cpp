// A norm of what is normed already.
// expect: Expected<Rows<Residual<M>>>, Observed<Rows<AttnInput<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  norm(p.n1, p.layer.input_layernorm);
#else
  norm(p.x, p.layer.input_layernorm);
#endif
}
