// The counter of a generation: positions taken and steps left. The laws step_room and step_inv are about this type.
#pragma once
#include "kernels/index.hpp"

namespace lawful::model {

/// t positions are written, `left` more fit: t + left = capacity, before and after every step.
template <class N, class Ix = kernels::Index>
struct Steps {
  N t;
  N left;

  static constexpr Steps empty(N capacity) { return {N(0), capacity}; }

  /// Whether `count` more positions, at least one, can be taken.
  constexpr auto has_room(N count) const { return N(0) < count && Ix::fits(count, left); }

  /// The counter after one step; only where one is left.
  constexpr Steps taken() const { return {Ix::advance(t, N(1)), Ix::step_left(left)}; }

  /// The counter before the last step; only where one was taken.
  constexpr Steps given_back() const { return {t - N(1), left + N(1)}; }
};

}  // namespace lawful::model
