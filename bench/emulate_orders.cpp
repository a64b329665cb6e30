// Which order should the long sums have? Emulates the whole forward pass under candidate orders and roundings and
// prints how far the logits are from the same pass in double, as a Markdown table (docs/arithmetic.md quotes it).
//
//     emulate_orders MODEL reference/prompts.json [LONGEST]      prompts of at most LONGEST tokens (default 70)
//
// Sums follow their candidate bit for bit. What is called exact or double here is computed in double and rounded to F32
// once, which differs from the true value's rounding about once in 2^29 times.
#include "kernels/index.hpp"
#include "model/checkpoint/checkpoint.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace {

using lawful::kernels::StoredMatrix;
using lawful::model::Checkpoint;

enum class Partials { f32, f64, exact };  // how the partial sums of blocks are added, lane by lane

struct Candidate {
  const char* name;
  std::size_t lanes, block;  ///< block 0: the whole row in one run
  Partials partials;
  bool residual_f64;  ///< the residual stream stays in double between the layers
  bool steps_f64;     ///< RMSNorm, RoPE and SwiGLU in double, rounded once; else every step in F32
};

constexpr Candidate truth{"double", 8, 0, Partials::exact, true, true};
constexpr std::array candidates{
    Candidate{"16 lanes, one run, all in F32", 16, 0, Partials::f32, false, false},
    Candidate{"16 lanes, one run", 16, 0, Partials::f32, false, true},
    Candidate{"16 lanes, one run, residual in double", 16, 0, Partials::f32, true, true},
    Candidate{"32 lanes, one run, residual in double", 32, 0, Partials::f32, true, true},
    Candidate{"64 lanes, one run, residual in double", 64, 0, Partials::f32, true, true},
    Candidate{"16 lanes, blocks of 512 in F32, residual in double", 16, 512, Partials::f32, true, true},
    Candidate{"16 lanes, blocks of 384 in F32, residual in double", 16, 384, Partials::f32, true, true},
    Candidate{"16 lanes, blocks of 320 in F32", 16, 320, Partials::f32, false, true},
    Candidate{"16 lanes, blocks of 320 in F32, residual in double, steps in F32", 16, 320, Partials::f32, true, false},
    Candidate{"16 lanes, blocks of 320 in F32, residual in double", 16, 320, Partials::f32, true, true},
    Candidate{"16 lanes, blocks of 256 in F32, residual in double", 16, 256, Partials::f32, true, true},
    Candidate{"16 lanes, blocks of 256 in double, residual in double", 16, 256, Partials::f64, true, true},
    Candidate{"16 lanes, blocks of 128 in double, residual in double", 16, 128, Partials::f64, true, true},
    Candidate{"exact sums", 16, 0, Partials::exact, false, true},
    Candidate{"exact sums, residual in double", 16, 0, Partials::exact, true, true},
};

template <std::size_t Lanes>
double dot_in_lanes(const float* a, const float* b, std::size_t n, std::size_t block, bool partials_f64) {
  std::array<float, Lanes> sum{};
  std::array<double, Lanes> sum_f64{};
  for (std::size_t begin = 0; begin < n; begin += block) {
    std::array<float, Lanes> lane{};
    const std::size_t end = std::min(n, begin + block), whole = begin + (end - begin) / Lanes * Lanes;
    for (std::size_t k = begin; k < whole; k += Lanes)
      for (std::size_t l = 0; l < Lanes; ++l) lane[l] = std::fmaf(a[k + l], b[k + l], lane[l]);
    for (std::size_t k = whole; k < end; ++k) lane[k - whole] = std::fmaf(a[k], b[k], lane[k - whole]);
    for (std::size_t l = 0; l < Lanes; ++l)
      if (partials_f64) sum_f64[l] += static_cast<double>(lane[l]);
      else sum[l] += lane[l];
  }
  double total = 0;
  for (std::size_t l = 0; l < Lanes; ++l) total += partials_f64 ? sum_f64[l] : static_cast<double>(sum[l]);
  return total;
}

template <class Real>
double dot_exact(const float* a, const Real* b, std::size_t n) {
  std::array<double, 16> lane{};
  for (std::size_t k = 0; k < n; k += 16)
    for (std::size_t l = 0; l < 16; ++l) lane[l] += static_cast<double>(a[k + l]) * static_cast<double>(b[k + l]);
  double total = 0;
  for (const double part : lane) total += part;
  return total;
}

double dot(const Candidate&, const float* a, const double* b, std::size_t n) { return dot_exact(a, b, n); }
double dot(const Candidate& c, const float* a, const float* b, std::size_t n) {
  const std::size_t block = c.block == 0 ? n : c.block;
  if (c.partials == Partials::exact) return dot_exact(a, b, n);
  if (c.lanes == 32) return dot_in_lanes<32>(a, b, n, block, c.partials == Partials::f64);
  if (c.lanes == 64) return dot_in_lanes<64>(a, b, n, block, c.partials == Partials::f64);
  return dot_in_lanes<16>(a, b, n, block, c.partials == Partials::f64);
}

struct Matrix {
  std::size_t rows, cols;
  std::vector<float> values;
};

Matrix widened(Checkpoint& from, const std::string& name, std::size_t rows, std::size_t cols, std::size_t half) {
  const StoredMatrix m = from.take_matrix(name, rows, cols);
  Matrix out{rows, cols, std::vector<float>(rows * cols)};
  for (std::size_t r = 0; r < rows; ++r) {
    const bool pairs = m.row_order == lawful::kernels::RowOrder::interleaved_pairs;
    const std::size_t stored = pairs ? lawful::kernels::Index::interleaved_row(r, half) : r;
    lawful::kernels::widen(m.storage, m.bytes + stored * m.row_bytes(), cols, &out.values[r * cols]);
  }
  return out;
}

struct Layer {
  std::vector<float> norm1, norm2;
  Matrix q, k, v, o, gate, up, down;
};

struct Llama {
  std::size_t dim, heads, kv_heads, head, ffn, vocab;
  double theta, eps;
  Matrix embedding;
  std::vector<Layer> layers;
  std::vector<float> norm;

  explicit Llama(Checkpoint& from) {
    const auto& s = from.shape();
    dim = s.dim, heads = s.heads, kv_heads = s.kv_heads, head = s.head, ffn = s.ffn, vocab = s.vocab;
    theta = s.theta, eps = static_cast<double>(static_cast<float>(s.eps));
    embedding = widened(from, "model.embed_tokens.weight", vocab, dim, 0);
    for (std::size_t l = 0; l < s.layers; ++l) {
      const std::string at = fmt::format("model.layers.{}.", l);
      const auto matrix = [&](const char* name, std::size_t rows, std::size_t cols) {
        return widened(from, at + name + ".weight", rows, cols, head / 2);
      };
      layers.push_back({from.take_vector(at + "input_layernorm.weight", dim),
                        from.take_vector(at + "post_attention_layernorm.weight", dim),
                        matrix("self_attn.q_proj", dim, dim), matrix("self_attn.k_proj", kv_heads * head, dim),
                        matrix("self_attn.v_proj", kv_heads * head, dim), matrix("self_attn.o_proj", dim, dim),
                        matrix("mlp.gate_proj", ffn, dim), matrix("mlp.up_proj", ffn, dim),
                        matrix("mlp.down_proj", dim, ffn)});
    }
    norm = from.take_vector("model.norm.weight", dim);
  }
};

/// One forward pass; every activation is stored as Real, which is where it is rounded.
template <class Real>
class Pass {
 public:
  Pass(const Llama& model, const Candidate& candidate) : m_(model), c_(candidate) {}

  std::vector<Real> logits(const std::vector<std::uint32_t>& ids) {
    tokens_ = ids.size();
    std::vector<double> x;
    for (const auto id : ids) {
      const float* row = &m_.embedding.values[id * m_.dim];
      x.insert(x.end(), row, row + m_.dim);
    }
    for (const Layer& layer : m_.layers) {
      const auto n1 = normed(x, layer.norm1);
      auto q = rounded(product(layer.q, n1)), k = rounded(product(layer.k, n1));
      const auto v = rounded(product(layer.v, n1));
      rotate(q, m_.heads), rotate(k, m_.kv_heads);
      add(x, product(layer.o, attention(q, k, v)));
      const auto n2 = normed(x, layer.norm2);
      add(x, product(layer.down, gated(rounded(product(layer.gate, n2)), rounded(product(layer.up, n2)))));
    }
    return rounded(product(m_.embedding, normed(x, m_.norm)));
  }

 private:
  static std::vector<Real> rounded(const std::vector<double>& in) { return {in.begin(), in.end()}; }

  std::vector<double> product(const Matrix& w, const std::vector<Real>& x) const {
    std::vector<double> out(tokens_ * w.rows);
    for (std::size_t r = 0; r < w.rows; ++r)
      for (std::size_t t = 0; t < tokens_; ++t)
        out[t * w.rows + r] = dot(c_, &w.values[r * w.cols], &x[t * w.cols], w.cols);
    return out;
  }

  void add(std::vector<double>& x, const std::vector<double>& delta) const {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (c_.residual_f64) x[i] += delta[i];
      else x[i] = static_cast<double>(static_cast<Real>(x[i]) + static_cast<Real>(delta[i]));
  }

  std::vector<Real> normed(const std::vector<double>& x, const std::vector<float>& gain) const {
    std::vector<Real> out(x.size());
    for (std::size_t t = 0; t < tokens_; ++t)
      c_.steps_f64 ? norm_row<double>(&x[t * m_.dim], gain, &out[t * m_.dim])
                   : norm_row<Real>(&x[t * m_.dim], gain, &out[t * m_.dim]);
    return out;
  }

  template <class Step>
  void norm_row(const double* x, const std::vector<float>& gain, Real* out) const {
    const std::vector<Step> row(x, x + m_.dim);
    Step squares = 0;
    if constexpr (std::is_same_v<Step, float>) squares = static_cast<Step>(dot(c_, row.data(), row.data(), m_.dim));
    else for (const Step value : row) squares += value * value;
    const Step scale = 1 / std::sqrt(squares / static_cast<Step>(m_.dim) + static_cast<Step>(m_.eps));
    for (std::size_t i = 0; i < m_.dim; ++i) out[i] = static_cast<Real>(static_cast<Step>(gain[i]) * (row[i] * scale));
  }

  void rotate(std::vector<Real>& x, std::size_t heads) const {
    for (std::size_t t = 0; t < tokens_; ++t)
      for (std::size_t h = 0; h < heads; ++h)
        for (std::size_t i = 0; i < m_.head / 2; ++i) {
          Real &a = x[(t * heads + h) * m_.head + i], &b = x[(t * heads + h) * m_.head + i + m_.head / 2];
          c_.steps_f64 ? rotate_pair<double>(t, i, a, b) : rotate_pair<Real>(t, i, a, b);
        }
  }

  template <class Step>
  void rotate_pair(std::size_t t, std::size_t i, Real& a, Real& b) const {
    const double exponent = 2.0 * static_cast<double>(i) / static_cast<double>(m_.head);
    const float inverse = 1 / static_cast<float>(std::pow(m_.theta, exponent));
    const double angle = static_cast<double>(static_cast<float>(t) * inverse);
    const Step cosine = static_cast<Step>(std::cos(angle)), sine = static_cast<Step>(std::sin(angle));
    const Step x = a, y = b;
    a = static_cast<Real>(x * cosine - y * sine);
    b = static_cast<Real>(y * cosine + x * sine);
  }

  std::vector<Real> attention(const std::vector<Real>& q, const std::vector<Real>& k,
                              const std::vector<Real>& v) const {
    std::vector<Real> out(q.size());
    for (std::size_t t = 0; t < tokens_; ++t)
      for (std::size_t h = 0; h < m_.heads; ++h) {
        const std::size_t kv = h / (m_.heads / m_.kv_heads) * m_.head, width = m_.kv_heads * m_.head;
        attend(&q[(t * m_.heads + h) * m_.head], &k[kv], &v[kv], width, t + 1, &out[(t * m_.heads + h) * m_.head]);
      }
    return out;
  }

  /// One query over `keys` positions: weights added in double, weighted values in Real by 16 positions, then in double.
  void attend(const Real* q, const Real* k, const Real* v, std::size_t width, std::size_t keys, Real* out) const {
    std::vector<Real> weight(keys);
    for (std::size_t s = 0; s < keys; ++s) {
      const double score = score_of(q, k + s * width) / std::sqrt(static_cast<double>(m_.head));
      weight[s] = static_cast<Real>(score);
    }
    const Real most = *std::max_element(weight.begin(), weight.end());
    double total = 0;
    for (Real& w : weight) total += static_cast<double>(w = static_cast<Real>(std::exp(static_cast<double>(w - most))));
    for (std::size_t i = 0; i < m_.head; ++i) {
      double sum = 0;
      for (std::size_t begin = 0; begin < keys; begin += 16) {
        Real part = 0;
        for (std::size_t s = begin; s < std::min(keys, begin + 16); ++s)
          part = std::fma(weight[s], v[s * width + i], part);
        sum += static_cast<double>(part);
      }
      out[i] = static_cast<Real>(sum / total);
    }
  }

  double score_of(const float* q, const float* k) const { return dot(c_, q, k, m_.head); }
  double score_of(const double* q, const double* k) const {
    double sum = 0;
    for (std::size_t i = 0; i < m_.head; ++i) sum += q[i] * k[i];
    return sum;
  }

  std::vector<Real> gated(const std::vector<Real>& gate, const std::vector<Real>& up) const {
    std::vector<Real> out(gate.size());
    for (std::size_t i = 0; i < gate.size(); ++i)
      out[i] = c_.steps_f64 ? gated_value<double>(gate[i], up[i]) : gated_value<Real>(gate[i], up[i]);
    return out;
  }

  template <class Step>
  static Real gated_value(Real gate, Real up) {
    const Step g = gate, e = static_cast<Step>(std::exp(-static_cast<double>(gate)));
    return static_cast<Real>(g / (1 + e) * static_cast<Step>(up));
  }

  const Llama& m_;
  const Candidate& c_;
  std::size_t tokens_ = 0;
};

double rms_relative(const std::vector<float>& values, const std::vector<double>& reference) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double d = static_cast<double>(values[i]) - reference[i];
    difference += d * d, size += reference[i] * reference[i];
  }
  return std::sqrt(difference / size);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: emulate_orders MODEL PROMPTS.json [LONGEST]\n");
    return 2;
  }
  auto checkpoint = Checkpoint::open(argv[1]);
  const Llama model(checkpoint);
  const std::size_t longest = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 70;
  std::array<std::vector<double>, candidates.size()> errors;
  for (const auto& prompt : nlohmann::json::parse(std::ifstream(argv[2]))) {
    const auto ids = prompt["ids"].get<std::vector<std::uint32_t>>();
    if (ids.size() > longest) continue;
    const auto reference = Pass<double>(model, truth).logits(ids);
    for (std::size_t i = 0; i < candidates.size(); ++i)
      errors[i].push_back(rms_relative(Pass<float>(model, candidates[i]).logits(ids), reference));
  }
  fmt::print("| order | rms error, geometric mean of {} prompts | worst prompt |\n|---|---|---|\n", errors[0].size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    double logs = 0;
    for (const double e : errors[i]) logs += std::log(e);
    fmt::print("| {} | {:.2e} | {:.2e} |\n", candidates[i].name, std::exp(logs / static_cast<double>(errors[i].size())),
               *std::max_element(errors[i].begin(), errors[i].end()));
  }
}
