// A config with context = 0.
// expect: a config has room for at least one position
#ifdef WRONG
struct small {
  static constexpr Config config{"small", 1, 1, 16, 32, 1, 8, 0, 10000.0, 1e-5};
};
#else
struct small {
  static constexpr Config config{"small", 1, 1, 16, 32, 1, 8, 8, 10000.0, 1e-5};
};
#endif

static_assert(Rows<Residual<small>>::width > 0);
