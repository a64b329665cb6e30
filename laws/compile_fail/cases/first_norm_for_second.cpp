// The norm before attention where the norm before the MLP belongs.
// expect: Expected<Rows<Residual<M>>>, Observed<Rows<AttnResidual<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  norm(p.a, p.layer.input_layernorm);
#else
  norm(p.a, p.layer.post_attention_layernorm);
#endif
}
