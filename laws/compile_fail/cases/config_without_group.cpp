// A config with group = 0.
// expect: a config has at least one query head for each KV head
#ifdef WRONG
struct small {
  static constexpr Config config{"small", 1, 0, 16, 32, 1, 8, 8, 10000.0, 1e-5};
};
#else
struct small {
  static constexpr Config config{"small", 1, 1, 16, 32, 1, 8, 8, 10000.0, 1e-5};
};
#endif

static_assert(Rows<Residual<small>>::width > 0);
