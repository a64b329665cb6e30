// Typed weights and the operations of the model over them: each says which role it reads and which it makes.
#pragma once
#include "kernels/attention.hpp"
#include "kernels/matmul.hpp"
#include "kernels/pointwise.hpp"
#include "kernels/rope.hpp"
#include "kernels/threads.hpp"
#include "model/axes.hpp"
#include "model/kv_cache.hpp"
#include "model/rows.hpp"
#include "model/wiring.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

namespace lawful::model {

/// A weight matrix, Out::size × In::size, as stored. y = W·x for each row x.
template <class Out, class In>
struct Linear {
  static constexpr std::array<std::size_t, 2> shape{Out::size, In::size};
  static constexpr std::size_t values = Out::size * In::size;
  kernels::StoredMatrix matrix;
};

/// Root mean square norm (Zhang & Sennrich 2019, arXiv:1910.07467) from one role to another, with a gain per value.
template <class From, class To>
struct RmsNorm {
  static constexpr std::array<std::size_t, 1> shape{From::size};
  static constexpr std::size_t values = From::size;
  std::vector<float> gain;
};

/// The token embedding, one row of In::size values for each of Tokens::size ids.
template <class Tokens, class Out>
struct Embedding {
  static constexpr std::array<std::size_t, 2> shape{Tokens::size, Out::size};
  static constexpr std::size_t values = Tokens::size * Out::size;
  kernels::StoredMatrix matrix;
};

/// Several projections of the same input, computed together: a tuple of rows in the order of the weights.
template <class X, class... Out, class... In>
std::tuple<Rows<Out>...> project(kernels::Threads& threads, const X& x, const Linear<Out, In>&... w) {
  static_assert((wired<Rows<In>, X> && ...));
  std::tuple<Rows<Out>...> out{Rows<Out>(x.count())...};
  std::apply(
      [&](auto&... rows) {
        const std::array products{kernels::Product{w.matrix, rows.data()}...};
        kernels::matmul(products, x.data(), x.count(), threads);
      },
      out);
  return out;
}

}  // namespace lawful::model
