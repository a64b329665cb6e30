// Token ids used as positions.
// expect: Expected<Positions<M>>, Observed<Tokens<M>>
using M = MODEL;

void line(Parts<M>& p) {
#ifdef WRONG
  rope(p.q, p.tokens);
#else
  rope(p.q, p.at);
#endif
}
