// The gains of a norm where a matrix belongs.
// expect: Expected<Linear<AnyAxis, AttnInput<M>>>, Observed<RmsNorm<Residual<M>, AttnInput<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  project(p.n1, p.layer.input_layernorm);
#else
  project(p.n1, p.layer.self_attn.q_proj);
#endif
}
