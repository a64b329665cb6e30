// Queries rotated twice.
// expect: Expected<OneOf<Rows<Query<M>>, Rows<Key<M>>>>, Observed<Rows<Rotated<Query<M>>>>
// models: smollm2_135m, smollm2_1_7b
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  attention(rope(rope(p.q, p.at), p.at), p.seen);
#else
  attention(rope(p.q, p.at), p.seen);
#endif
}
