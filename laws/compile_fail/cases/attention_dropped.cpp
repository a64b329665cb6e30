// What attention adds left out of the residual stream.
// expect: Expected<Rows<AttnResidual<M>>>, Observed<Rows<Residual<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  norm(p.x, p.layer.post_attention_layernorm);
#else
  norm(p.a, p.layer.post_attention_layernorm);
#endif
}
