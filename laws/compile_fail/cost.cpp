// A typed operation and the same one without types, for cost.py to compare their instructions.
#include "model/operations.hpp"

namespace lawful::model {
namespace {

using M = smollm2_135m;

/// Rows without a role.
struct Plain {
  Buffer buffer;
  std::size_t count = 0;
  Plain(std::size_t rows, std::size_t width) : buffer(rows * width * sizeof(float)), count(rows) {}
  float* data() { return static_cast<float*>(buffer.data()); }
  const float* data() const { return static_cast<const float*>(buffer.data()); }
};

}  // namespace

// Flattened, so that no compiler leaves a call in the one and not in the other.
extern "C" {

[[gnu::flatten]] void swiglu_typed(const Rows<Gate<M>>& gate, const Rows<Up<M>>& up, Rows<Gated<M>>& out) {
  out = swiglu(gate, up);
}

[[gnu::flatten]] void swiglu_plain(const Plain& gate, const Plain& up, Plain& out) {
  if (gate.count != up.count) throw std::logic_error("swiglu: gate and up of different tokens");
  Plain made(gate.count, M::config.ffn);
  kernels::swiglu(gate.data(), up.data(), gate.count * M::config.ffn, made.data());
  out = std::move(made);
}

[[gnu::flatten]] void norm_typed(const Rows<Residual<M>>& x, const RmsNorm<Residual<M>, AttnInput<M>>& w,
                                 Rows<AttnInput<M>>& out) {
  out = norm(x, w);
}

[[gnu::flatten]] void norm_plain(const Plain& x, const std::vector<float>& gain, Plain& out) {
  Plain made(x.count, M::config.dim());
  kernels::rms_norm(static_cast<const double*>(x.buffer.data()), gain.data(), M::config.eps, x.count, M::config.dim(),
                    made.data());
  out = std::move(made);
}

}  // extern "C"
}  // namespace lawful::model
