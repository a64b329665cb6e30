#include "model/checkpoint/inspect.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "io/sha256.hpp"

namespace lawful::model {
namespace {

struct Role {
  std::string_view ending;
  std::string_view role;
};
constexpr std::array<Role, 12> roles{{{"model.embed_tokens.weight", "embedding"},
                                      {".input_layernorm.weight", "norm before attention"},
                                      {".self_attn.q_proj.weight", "query projection"},
                                      {".self_attn.k_proj.weight", "key projection"},
                                      {".self_attn.v_proj.weight", "value projection"},
                                      {".self_attn.o_proj.weight", "attention output"},
                                      {".post_attention_layernorm.weight", "norm before MLP"},
                                      {".mlp.gate_proj.weight", "MLP gate"},
                                      {".mlp.up_proj.weight", "MLP up"},
                                      {".mlp.down_proj.weight", "MLP down"},
                                      {"model.norm.weight", "final norm"},
                                      {"lm_head.weight", "output matrix"}}};

}  // namespace

TensorFigures figures(const StoredTensor& tensor) {
  const std::size_t cols = tensor.shape.empty() ? 1 : tensor.shape.back(), rows = tensor.value_count() / cols;
  const std::size_t row_bytes = tensor.byte_count / rows;
  std::vector<float> values(cols);
  TensorFigures f;
  f.least = std::numeric_limits<float>::infinity();
  f.largest = -f.least;
  double sum = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    kernels::widen(tensor.storage, tensor.bytes + row * row_bytes, cols, values.data());
    for (const float value : values) {
      if (std::isnan(value)) ++f.nan;
      else if (std::isinf(value)) ++f.infinite;
      else {
        f.least = std::min(f.least, value);
        f.largest = std::max(f.largest, value);
        sum += static_cast<double>(value);
      }
    }
  }
  const std::uint64_t finite = rows * cols - f.nan - f.infinite;
  if (finite == 0) f.least = f.largest = 0;
  else f.mean = sum / static_cast<double>(finite);
  return f;
}

std::string sha256_of(const io::MappedFile& file, const io::Progress& progress) {
  constexpr std::size_t step = 4U << 20U;
  const auto bytes = file.bytes();
  io::Sha256 hash;
  for (std::size_t done = 0; done < bytes.size();) {
    const std::size_t taken = std::min(step, bytes.size() - done);
    hash.update(bytes.subspan(done, taken));
    done += taken;
    if (progress) progress(done, bytes.size());
  }
  return io::hex(hash.finish());
}

std::string_view role(std::string_view name) {
  for (const auto& r : roles) {
    if (name.ends_with(r.ending)) return r.role;
  }
  return "unknown";
}

}  // namespace lawful::model
