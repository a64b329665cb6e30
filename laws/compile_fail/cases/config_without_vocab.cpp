// A config with vocab = 0.
// expect: a config has at least one token
#ifdef WRONG
struct small {
  static constexpr Config config{"small", 1, 1, 16, 32, 1, 0, 8, 10000.0, 1e-5};
};
#else
struct small {
  static constexpr Config config{"small", 1, 1, 16, 32, 1, 8, 8, 10000.0, 1e-5};
};
#endif

static_assert(Rows<Residual<small>>::width > 0);
