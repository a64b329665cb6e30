// The diagnostic of a miswired line: its first error names a type that carries what was expected and what was observed.
//
// An operation is declared twice: once for the types that it is for, and once, without a definition, for any others.
// A miswired call chooses the second, whose result is a wiring_fault, and that is an incomplete type: the error stands
// at the caller's own line, and nothing else is compiled on its account. docs/wiring.md shows what compilers say.
#pragma once
#include <type_traits>

namespace lawful::model {

template <class> struct Expected;
template <class> struct Observed;

/// Never defined: what g++ and clang++ print is its name.
template <class E, class O> struct wiring_fault;

// What a fault may name beside the model's own types; none is ever defined.
template <class...> struct OneOf;  ///< any of these would do
struct AnyAxis;
struct AnyModel;
struct Nothing;                    ///< an argument that is not there
template <class> struct NotMoved;  ///< a value that is spent only where it is moved

/// One argument: the type that belongs there, and the type that stands there.
template <class E, class O>
struct Seam {
  using expected = E;
  using observed = O;
  static constexpr bool is_right = std::is_same_v<E, O>;
};
template <class... E, class O>
struct Seam<OneOf<E...>, O> {
  using expected = OneOf<E...>;
  using observed = O;
  static constexpr bool is_right = (std::is_same_v<E, O> || ...);
};

/// The first of several arguments that is wrong; where none is, there is no fault to name.
template <class... Seams>
struct FirstWrong {};
template <class First, class... Rest>
struct FirstWrong<First, Rest...> : std::conditional_t<First::is_right, FirstWrong<Rest...>, First> {};

/// Several values in a fixed order.
template <class...> struct Values;

/// The first of several values that is wrong, or, where there are too many or too few, all of them.
template <class Expected, class Observed>
struct WrongValue : Seam<Expected, Observed> {};
template <class... E, class... O>
  requires(sizeof...(E) == sizeof...(O))
struct WrongValue<Values<E...>, Values<O...>> : FirstWrong<Seam<E, O>...> {};

namespace detail {
template <class T> struct model_of { using type = AnyModel; };
template <class T>
  requires requires { typename T::Model; }
struct model_of<T> { using type = typename T::Model; };
template <class T> struct axis_of { using type = AnyAxis; };
template <class T>
  requires requires { typename T::Axis; }
struct axis_of<T> { using type = typename T::Axis; };
}  // namespace detail

/// The model that a type belongs to, and the axis of activations, for saying what else was expected beside it.
template <class T> using ModelOf = typename detail::model_of<T>::type;
template <class T> using AxisOf = typename detail::axis_of<T>::type;

}  // namespace lawful::model
