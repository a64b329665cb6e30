// Logits from the residual stream itself: the last norm skipped.
// expect: Expected<Rows<Final<M>>>, Observed<Rows<BlockOut<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  project(p.y, p.weights.lm_head);
#else
  project(p.last, p.weights.lm_head);
#endif
}
