// A layer's values shown to its watch in another order, so under other names.
// expect: Expected<Rows<Rotated<Query<M>>>>, Observed<Rows<Rotated<Key<M>>>>
using M = MODEL;

void line(Parts<M>& p, Unwatched watch) {
#ifdef WRONG
  shown<M>(watch, p.n1, p.q, p.k, p.v, p.kr, p.qr, p.attn, p.a, p.n2, p.m, p.y);
#else
  shown<M>(watch, p.n1, p.q, p.k, p.v, p.qr, p.kr, p.attn, p.a, p.n2, p.m, p.y);
#endif
}
