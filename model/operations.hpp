// Typed weights and the model's operations over them: each says which role it reads and which it makes. Below each
// stands one kernel. What any other call of them says is in model/faults.hpp.
#pragma once
#include "io/bad_input.hpp"
#include "kernels/attention.hpp"
#include "kernels/matmul.hpp"
#include "kernels/rms_norm.hpp"
#include "kernels/rope.hpp"
#include "kernels/swiglu.hpp"
#include "kernels/team.hpp"
#include "model/axes.hpp"
#include "model/kv_cache.hpp"
#include "model/rows.hpp"
#include "model/wiring.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace lawful::model {

/// A weight matrix as stored, Out::size × In::size.
template <class Out, class In>
struct Linear {
  using Model = typename In::Model;
  static constexpr std::array<std::size_t, 2> shape{Out::size, In::size};
  static_assert(In::size % 32 == 0, "the kernels read weights in pieces of 32");
  kernels::StoredMatrix matrix;
};

/// The gains of a root mean square norm that takes role From to role To.
template <class From, class To>
struct RmsNorm {
  using Model = typename From::Model;
  static constexpr std::array<std::size_t, 1> shape{To::size};
  std::vector<float> gain;
};

/// The token embedding: a row of Out::size values for each id.
template <class Ids, class Out>
struct Embedding {
  using Model = typename Out::Model;
  static constexpr std::array<std::size_t, 2> shape{Ids::size, Out::size};
  kernels::StoredMatrix matrix;
};

/// Token ids of a model's vocabulary, checked. Not a position, not an index of anything else.
template <class M>
class Tokens {
 public:
  using Model = M;
  /// Throws io::BadInput with the first id that the vocabulary lacks.
  explicit Tokens(std::span<const std::uint32_t> ids) : ids_(ids) {
    for (const auto id : ids)
      if (id >= M::config.vocab)
        io::reject("token id", fmt::format("0 to {}", M::config.vocab - 1), fmt::to_string(id));
  }
  std::size_t count() const { return ids_.size(); }
  std::span<const std::uint32_t> ids() const { return ids_; }

 private:
  std::span<const std::uint32_t> ids_;
};

/// The residual stream's beginning: the ids' rows of the embedding.
template <class M, class Out>
Rows<Out> embed(const Embedding<Vocab<M>, Out>& w, const Tokens<M>& tokens) {
  Rows<Out> out(tokens.count());
  std::vector<float> wide(Out::size);
  for (std::size_t i = 0; i < tokens.count(); ++i) {
    const std::size_t row = kernels::Index::row_begin<std::size_t>(tokens.ids()[i], w.matrix.row_bytes());
    kernels::widen(w.matrix.storage, w.matrix.bytes + row, Out::size, wide.data());
    std::copy(wide.begin(), wide.end(), out.row(i).begin());
  }
  return out;
}

/// gain · (x / rms(x)).
template <class From, class To>
Rows<To> norm(const Rows<From>& x, const RmsNorm<From, To>& w) {
  Rows<To> out(x.count());
  kernels::rms_norm(x.data(), w.gain.data(), From::Model::config.eps, x.count(), From::size, out.data());
  return out;
}

/// W·x; with several weights of one input, computed together, a tuple of rows in the order of the weights.
template <class In, class... Out>
auto project(const Rows<In>& x, const Linear<Out, In>&... w) {
  using Number = std::common_type_t<typename Out::number...>;
  std::tuple<Rows<Out>...> out{Rows<Out>(x.count())...};
  std::apply(
      [&](auto&... rows) {
        const std::array products{kernels::Product<Number>{w.matrix, rows.data()}...};
        kernels::matmul(products, x.data(), x.count());
      },
      out);
  if constexpr (sizeof...(Out) == 1)
    return std::get<0>(std::move(out));
  else
    return out;
}

/// Turns queries or keys by their positions.
template <template <class> class Role, class M>
  requires Rotates<Role<M>>
Rows<Rotated<Role<M>>> rope(const Rows<Role<M>>& x, const Positions<M>& at) {
  static constexpr auto frequency = kernels::inverse_frequencies<M::config.half>(M::config.theta);
  if (x.count() != at.count()) throw std::logic_error("rope: another count of positions than of rows");
  Rows<Rotated<Role<M>>> out(x.count());
  kernels::rope(x.data(), x.count(), Role<M>::size / M::config.head(), frequency, at.first(), out.data());
  return out;
}

/// Each new position's queries over the keys up to its own.
template <class M, class Extents>
Rows<Attended<M>> attention(const Rows<Rotated<Query<M>>>& q, const Pushed<LayerCache<M, Extents>>& seen) {
  if (q.count() != seen.count()) throw std::logic_error("attention: another count of queries than of new keys");
  Rows<Attended<M>> out(q.count());
  kernels::attention({M::config.kv_heads, M::config.group, M::config.head(), seen.keys().capacity()}, q.data(), q.count(),
                     seen.keys().data(), seen.values().data(), seen.first(), out.data());
  return out;
}

/// silu(gate) · up.
template <class M>
Rows<Gated<M>> swiglu(const Rows<Gate<M>>& gate, const Rows<Up<M>>& up) {
  if (gate.count() != up.count()) throw std::logic_error("swiglu: gate and up of different tokens");
  Rows<Gated<M>> out(gate.count());
  kernels::swiglu(gate.data(), up.data(), gate.count() * Gate<M>::size, out.data());
  return out;
}

namespace detail {
/// In double: nothing is rounded to F32 here.
template <class Sum, class To, class Delta>
Rows<Sum> sum(const Rows<To>& x, Rows<Delta>&& delta) {
  if (x.count() != delta.count()) throw std::logic_error("add: rows of different tokens");
  kernels::parallel(x.count(), [&](std::size_t i) {
    const auto from = x.row(i);
    auto to = delta.row(i);
    for (std::size_t k = 0; k < To::size; ++k) to[k] = from[k] + to[k];
  });
  return renamed<Sum>(std::move(delta));
}
}  // namespace detail

/// The residual stream after attention.
template <class M>
Rows<AttnResidual<M>> add(const Rows<Residual<M>>& x, Rows<AttnDelta<M>> delta) {
  return detail::sum<AttnResidual<M>>(x, std::move(delta));
}

/// The residual stream after the MLP.
template <class M>
Rows<BlockOut<M>> add(const Rows<AttnResidual<M>>& a, Rows<MlpDelta<M>> delta) {
  return detail::sum<BlockOut<M>>(a, std::move(delta));
}

}  // namespace lawful::model

#include "model/faults.hpp"
