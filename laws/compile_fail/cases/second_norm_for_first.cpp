// The norm before the MLP where the norm before attention belongs.
// expect: Expected<Rows<AttnResidual<M>>>, Observed<Rows<Residual<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  norm(p.x, p.layer.post_attention_layernorm);
#else
  norm(p.x, p.layer.input_layernorm);
#endif
}
