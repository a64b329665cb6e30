// The diagnostic of a miswired line: the first error names a type that carries what was expected and what was observed.
#pragma once

namespace lawful::model {

template <class> struct Expected;
template <class> struct Observed;

template <class E, class O> struct wiring_fault;  // never defined: naming its members is the error
template <class E> struct wiring_fault<Expected<E>, Observed<E>> {
  static constexpr bool none = true;
};

/// True where the observed type is the expected one; does not compile otherwise.
template <class E, class O>
inline constexpr bool wired = wiring_fault<Expected<E>, Observed<O>>::none;

/// The same where `ok` says already that the types agree.
template <bool ok, class E, class O>
inline constexpr bool wired_or = true;
template <class E, class O>
inline constexpr bool wired_or<false, E, O> = wired<E, O>;

}  // namespace lawful::model
