// Typed weights and the model's operations over them: each says which role it reads and which it makes, and refuses
// any other where it is compiled. Below each stands one kernel.
#pragma once
#include "kernels/attention.hpp"
#include "kernels/matmul.hpp"
#include "kernels/rms_norm.hpp"
#include "kernels/rope.hpp"
#include "kernels/swiglu.hpp"
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
#include <vector>

namespace lawful::model {

/// A weight matrix as stored, Out::size × In::size.
template <class Out, class In>
struct Linear {
  static constexpr std::array<std::size_t, 2> shape{Out::size, In::size};
  static_assert(In::size % 32 == 0, "the kernels read weights in pieces of 32");
  kernels::StoredMatrix matrix;
};

/// The gains of a root mean square norm that takes role From to role To.
template <class From, class To>
struct RmsNorm {
  static constexpr std::array<std::size_t, 1> shape{To::size};
  std::vector<float> gain;
};

/// The token embedding: a row of Out::size values for each id.
template <class Ids, class Out>
struct Embedding {
  static constexpr std::array<std::size_t, 2> shape{Ids::size, Out::size};
  kernels::StoredMatrix matrix;
};

/// Token ids of a model's vocabulary, checked. Not a position, not an index of anything else.
template <class M>
class Tokens {
 public:
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

template <class...> struct OneOf;  // only named, in diagnostics
struct AnyAxis;

template <class> inline constexpr bool is_rows = false;
template <class A> inline constexpr bool is_rows<Rows<A>> = true;
template <class> inline constexpr bool is_linear = false;
template <class Out, class In> inline constexpr bool is_linear<Linear<Out, In>> = true;

template <class> struct LinearParts;
template <class O, class I> struct LinearParts<Linear<O, I>> {
  using Out = O;
  using In = I;
};

/// The residual stream's beginning: the ids' rows of the embedding.
template <class M, class Out, class X>
Rows<Out> embed(const Embedding<Vocab<M>, Out>& w, const X& tokens) {
  static_assert(wired<Tokens<M>, X>);
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
template <class From, class To, class X>
Rows<To> norm(const X& x, const RmsNorm<From, To>& w) {
  static_assert(wired<Rows<From>, X>);
  Rows<To> out(x.count());
  kernels::rms_norm(x.data(), w.gain.data(), From::Model::config.eps, x.count(), From::size, out.data());
  return out;
}

/// W·x; with several weights of one input, computed together, a tuple of rows in the order of the weights.
template <class X, class... W>
auto project(const X& x, const W&... w) {
  static_assert((wired_or<is_linear<W>, Linear<AnyAxis, typename X::Axis>, W> && ...));
  static_assert((wired<Rows<typename LinearParts<W>::In>, X> && ...));
  using Number = std::common_type_t<typename LinearParts<W>::Out::number...>;
  std::tuple<Rows<typename LinearParts<W>::Out>...> out{Rows<typename LinearParts<W>::Out>(x.count())...};
  std::apply(
      [&](auto&... rows) {
        const std::array products{kernels::Product<Number>{w.matrix, rows.data()}...};
        kernels::matmul(products, x.data(), x.count());
      },
      out);
  if constexpr (sizeof...(W) == 1)
    return std::get<0>(std::move(out));
  else
    return out;
}

/// Turns queries or keys by their positions.
template <class X, class P>
auto rope(const X& x, const P& at) {
  static_assert(wired_or<is_rows<X>, Rows<AnyAxis>, X>);
  using M = typename X::Axis::Model;
  constexpr bool rotates = std::is_same_v<X, Rows<Query<M>>> || std::is_same_v<X, Rows<Key<M>>>;
  static_assert(wired_or<rotates, OneOf<Rows<Query<M>>, Rows<Key<M>>>, X>);
  static_assert(wired<Positions<M>, P>);
  static constexpr auto frequency = kernels::inverse_frequencies<M::config.half>(M::config.theta);
  if (x.count() != at.count()) throw std::logic_error("rope: another count of positions than of rows");
  Rows<Rotated<typename X::Axis>> out(x.count());
  kernels::rope(x.data(), x.count(), X::width / M::config.head(), frequency, at.first(), out.data());
  return out;
}

template <class> inline constexpr bool is_pushed = false;
template <class Cache> inline constexpr bool is_pushed<Pushed<Cache>> = true;

/// Each new position's queries over the keys up to its own.
template <class Q, class P>
auto attention(const Q& q, const P& seen) {
  static_assert(wired_or<is_pushed<P>, Pushed<AnyAxis>, P>);
  using M = typename P::Model;
  static_assert(wired<Rows<Rotated<Query<M>>>, Q>);
  if (q.count() != seen.count()) throw std::logic_error("attention: another count of queries than of new keys");
  Rows<Attended<M>> out(q.count());
  const auto& planes = seen.planes();
  kernels::attention({M::config.kv_heads, M::config.group, M::config.head(), planes.capacity()}, q.data(), q.count(),
                     planes.keys(), planes.values(), seen.first(), out.data());
  return out;
}

/// silu(gate) · up.
template <class G, class U>
auto swiglu(const G& gate, const U& up) {
  static_assert(wired_or<is_rows<G>, Rows<AnyAxis>, G>);
  using M = typename G::Axis::Model;
  static_assert(wired<Rows<Gate<M>>, G>);
  static_assert(wired<Rows<Up<M>>, U>);
  if (gate.count() != up.count()) throw std::logic_error("swiglu: gate and up of different tokens");
  Rows<Gated<M>> out(gate.count());
  kernels::swiglu(gate.data(), up.data(), gate.count() * G::width, out.data());
  return out;
}

/// What may be added to the residual stream where, and what that makes of it.
template <class A> struct Adds;
template <class M> struct Adds<Residual<M>> {
  using Delta = AttnDelta<M>;
  using Sum = AttnResidual<M>;
};
template <class M> struct Adds<AttnResidual<M>> {
  using Delta = MlpDelta<M>;
  using Sum = BlockOut<M>;
};

/// The residual stream after an addition, in double: nothing is rounded to F32 here.
template <class X, class D>
auto add(const X& x, D delta) {
  static_assert(wired_or<is_rows<X>, Rows<AnyAxis>, X>);
  using M = typename X::Axis::Model;
  constexpr bool adds = std::is_same_v<X, Rows<Residual<M>>> || std::is_same_v<X, Rows<AttnResidual<M>>>;
  static_assert(wired_or<adds, OneOf<Rows<Residual<M>>, Rows<AttnResidual<M>>>, X>);
  using A = Adds<typename X::Axis>;
  static_assert(wired<Rows<typename A::Delta>, D>);
  if (x.count() != delta.count()) throw std::logic_error("add: rows of different tokens");
  double* sum = delta.data();
  for (std::size_t i = 0; i < x.count() * X::width; ++i) sum[i] = x.data()[i] + sum[i];
  return renamed<typename A::Sum>(std::move(delta));
}

}  // namespace lawful::model
