// Attention over queries that were not rotated.
// expect: Expected<Rows<Rotated<Query<M>>>>, Observed<Rows<Query<M>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  attention(p.q, p.seen);
#else
  attention(p.qr, p.seen);
#endif
}
