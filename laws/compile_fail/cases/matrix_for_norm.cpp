// A matrix where the gains of a norm belong.
// expect: Expected<RmsNorm<Residual<M>, AnyAxis>>, Observed<Linear<Query<M>, AttnInput<M>>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  norm(p.x, p.layer.self_attn.q_proj);
#else
  norm(p.x, p.layer.input_layernorm);
#endif
}
