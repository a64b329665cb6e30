// A layer's norm where the model's last norm belongs.
// expect: Expected<Rows<Residual<M>>>, Observed<Rows<BlockOut<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  norm(p.y, p.layer.input_layernorm);
#else
  norm(p.y, p.weights.model.norm);
#endif
}
