// A config with ffn = 0.
// expect: a config has an MLP of at least one value
#ifdef WRONG
struct small {
  static constexpr Config config{"small", 1, 1, 16, 0, 1, 8, 8, 10000.0, 1e-5};
};
#else
struct small {
  static constexpr Config config{"small", 1, 1, 16, 32, 1, 8, 8, 10000.0, 1e-5};
};
#endif

static_assert(Rows<Residual<small>>::width > 0);
