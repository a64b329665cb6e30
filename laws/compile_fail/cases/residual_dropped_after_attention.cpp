// The residual addition after attention left out.
// expect: Expected<Rows<AttnResidual<M>>>, Observed<Rows<AttnDelta<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  norm(p.o, p.layer.post_attention_layernorm);
#else
  norm(p.a, p.layer.post_attention_layernorm);
#endif
}
