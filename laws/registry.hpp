// Every law there is, by family. Proofs, tests, the program and docs/laws.md walk these lists; nothing lists laws again.
#pragma once
#include <boost/hana/flatten.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <boost/hana/unpack.hpp>

#include <concepts>
#include <string_view>

#include "laws/arithmetic.hpp"
#include "laws/attention.hpp"
#include "laws/cache.hpp"
#include "laws/conversation.hpp"
#include "laws/division.hpp"
#include "laws/halves.hpp"
#include "laws/heads.hpp"
#include "laws/layout.hpp"
#include "laws/positions.hpp"
#include "laws/reading.hpp"
#include "laws/sizes.hpp"
#include "laws/steps.hpp"
#include "laws/tokenizer.hpp"

namespace lawful::laws {

namespace hana = boost::hana;

/// The configs that laws are proved for.
using every_model = types<model::smollm2_135m, model::smollm2_360m, model::smollm2_1_7b, model::tiny>;

namespace detail {
template <class Law>
struct models_of {
  using type = every_model;
};
template <class Law>
  requires requires { typename Law::models; }
struct models_of<Law> {
  using type = typename Law::models;
};
}  // namespace detail

/// The configs that a law speaks about: every one, unless it names its own.
template <class Law>
using models_of = typename detail::models_of<Law>::type;

/// What each of the three proofs needs. A registered law without it is a build error (see proofs.cpp).
template <class Law>
concept DescribesItself = requires {
  { Law::about } -> std::convertible_to<About>;
  Law::variables.size();
};
template <class Law>
concept HasDomain = requires(model::Config c) {
  { Law::domain(c) } -> std::same_as<std::array<Range, Law::variables.size()>>;
};
template <class Law>
concept HasLegalValues = requires(std::size_t (*pick)(std::size_t, std::size_t)) {
  { Law::legal(pick) } -> std::same_as<std::array<std::size_t, Law::variables.size()>>;
  Law::edges.size();
};
template <class Law>
concept HasMutants = (Law::mutants::size > 0);

template <class... Laws>
constexpr auto laws_of(types<Laws...>) {
  return hana::tuple_t<Laws...>;
}

/// The 21 laws of the structure.
inline constexpr auto structural = hana::flatten(hana::make_tuple(
    laws_of(position_laws{}), laws_of(size_laws{}), laws_of(layout_laws{}), laws_of(half_laws{}),
    laws_of(reading_laws{}), laws_of(cache_laws{}), laws_of(head_laws{}), laws_of(division_laws{}),
    laws_of(attention_laws{})));

/// The proofs that callers carry.
inline constexpr auto carried = laws_of(step_laws{});

template <class Laws>
struct Family {
  std::string_view name;
  std::string_view about;
  Laws laws;
};
template <class Laws>
Family(const char*, const char*, Laws) -> Family<Laws>;

/// That every result has one order of addition and one set of inputs.
inline constexpr auto arithmetic = laws_of(arithmetic_laws{});

/// All families of laws about numbers. Another subject registers its laws here.
inline constexpr auto families = hana::make_tuple(
    Family{"structural", "the 21 laws of the structure", structural},
    Family{"carried", "the lemmas that callers carry as witnesses", carried},
    Family{"arithmetic", "the same bits, whatever is computed beside", arithmetic});

/// Families of laws about texts. Their `holds` compares texts, so no compiler and no solver proves them: the tests
/// search them on the running code (props/tokenizer, props/model), and the program says so.
inline constexpr auto text_families = hana::make_tuple(
    Family{"tokenizer", "laws of the tokenizer, about texts", laws_of(tokenizer::text_laws{})},
    Family{"conversation", "laws of conversations, about texts", laws_of(conversation::text_laws{})});

/// Calls visit(family, hana::type_c<Law>) for every law about numbers.
template <class Visit>
constexpr void each_law(Visit&& visit) {
  hana::for_each(families, [&](const auto& family) {
    hana::for_each(family.laws, [&](auto law) { visit(family, law); });
  });
}

}  // namespace lawful::laws
