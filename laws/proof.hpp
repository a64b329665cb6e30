// The first proof: a law over the whole domain of a config, at compile time.
//
// A large domain is proved in chunks, each a constant expression of its own, so that no compiler needs a raised limit.
// A law that fails names an undefined type: g++ and clang++ print it with the law, the config, the values of the
// variables and both sides,
//   refuted<gqa_head, smollm2_135m, interleaved_heads, at<0, 3, 1>, part<0>, left<1>, is_not<Relation::equal>, right<0>>
#pragma once
#include <utility>

#include "laws/law.hpp"
#include "model/config.hpp"

namespace lawful::laws {

template <std::size_t... Values>
struct at;
template <std::size_t>
struct part;
template <std::size_t>
struct left;
template <std::size_t>
struct right;
template <Relation>
struct is_not;
/// Never defined: the compiler's message is the counterexample.
template <class Law, class Model, class Code, class At, class Part, class Left, class Relation, class Right>
struct refuted;

template <class Law>
inline constexpr std::size_t arity = Law::variables.size();

/// What a law says about `Code` at one point. A law that speaks about a model's types takes the model too.
template <class Law, class Code, class Model, class N, class... V>
constexpr auto claim_of(V... value) {
  if constexpr (requires { Law::template holds<Code, Model, N>(value...); })
    return Law::template holds<Code, Model, N>(value...);
  else return Law::template holds<Code, N>(value...);
}

template <class Law>
constexpr std::size_t domain_size(const model::Config& config) {
  std::size_t points = 1;
  for (const Range& r : Law::domain(config)) points *= r.count;
  return points;
}

/// The first counterexample in a stretch of a domain, if there is one.
template <std::size_t Arity>
struct Counterexample {
  bool found;
  std::size_t at[Arity + 1];
  std::size_t part;
  Sides<std::size_t> sides;
};

/// Points of one chunk: clang++ allows 2^20 steps in a constant expression, g++ 2^25 operations.
inline constexpr std::size_t chunk_points = 2048;

// Plain arrays and few calls: a call costs a compiler's interpreter more than all that the law computes.
template <class Law, class Model, class Code, std::size_t... V>
constexpr Counterexample<sizeof...(V)> check_chunk(std::size_t begin, std::size_t end, std::index_sequence<V...>) {
  constexpr std::size_t variables = sizeof...(V);
  const auto ranges = Law::domain(Model::config);
  const Range range[] = {ranges[V]..., exactly(0)};
  std::size_t digit[variables + 1] = {}, value[variables + 1] = {};
  for (std::size_t v = variables, rest = begin; v-- > 0; rest /= range[v].count) {
    digit[v] = rest % range[v].count;
    value[v] = range[v].first + digit[v] * range[v].step;
  }
  for (std::size_t k = begin; k < end; ++k) {
    const auto claim = claim_of<Law, Code, Model, std::size_t>(value[V]...);
    if (claim.given)
      for (std::size_t i = 0; i < claim.parts; ++i)
        if (!claim.sides[i].hold()) return {true, {value[V]...}, i, claim.sides[i]};
    for (std::size_t v = variables; v-- > 0;) {
      value[v] += range[v].step;
      if (++digit[v] < range[v].count) break;
      digit[v] = 0;
      value[v] = range[v].first;
    }
  }
  return {};
}

template <class Law, class Model, class Code, std::size_t Chunk>
consteval auto search_chunk() {
  const std::size_t size = domain_size<Law>(Model::config), begin = Chunk * chunk_points;
  return check_chunk<Law, Model, Code>(begin, begin + chunk_points < size ? begin + chunk_points : size,
                                       std::make_index_sequence<arity<Law>>{});
}

template <class Law, class Model>
inline constexpr std::size_t chunks = (domain_size<Law>(Model::config) + chunk_points - 1) / chunk_points;

/// A build error whose text is the counterexample.
template <class Law, class Model, class Code, std::size_t Chunk, std::size_t... V>
consteval bool refute(std::index_sequence<V...>) {
  constexpr auto c = search_chunk<Law, Model, Code, Chunk>();
  return refuted<Law, Model, Code, at<c.at[V]...>, part<c.part>, left<c.sides.left>, is_not<c.sides.relation>,
                 right<c.sides.right>>::none;
}

/// Whether the law holds on the config's whole domain, chunk by chunk from `Chunk` on. A law that does not is a build
/// error with its first counterexample.
template <class Law, class Model, class Code, std::size_t Chunk = 0>
consteval bool proved() {
  static_assert(domain_size<Law>(Model::config) > 0, "a law must say something in every config that it is proved for");
  constexpr auto c = search_chunk<Law, Model, Code, Chunk>();
  if constexpr (c.found) return refute<Law, Model, Code, Chunk>(std::make_index_sequence<arity<Law>>{});
  else if constexpr (Chunk + 1 < chunks<Law, Model>) return proved<Law, Model, Code, Chunk + 1>();
  else return true;
}

/// Whether the domain of the config holds a counterexample to the law about `Code`: what every mutant must come to.
template <class Law, class Model, class Code, std::size_t Chunk = 0>
consteval bool refutes() {
  if constexpr (search_chunk<Law, Model, Code, Chunk>().found) return true;
  else if constexpr (Chunk + 1 < chunks<Law, Model>) return refutes<Law, Model, Code, Chunk + 1>();
  else return false;
}

}  // namespace lawful::laws
