// A layer index used as a position.
// expect: Expected<Positions<M>>, Observed<LayerIndex<M>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  rope(p.q, p.index);
#else
  rope(p.q, p.at);
#endif
}
