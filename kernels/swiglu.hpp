// The gated activation of the MLP (Shazeer 2020, arXiv:2002.05202).
#pragma once
#include <cstddef>

namespace lawful::kernels {

/// y = silu(gate) · up = gate · up / (1 + e^−gate) for `count` values; computed in double, rounded to F32 once.
/// `count` is a multiple of 16. y may be gate or up.
void swiglu(const float* gate, const float* up, std::size_t count, float* y);

/// e^x for `count` values, rounded to F32 once: for the tests and tables of the exponential. Multiple of 16.
void exp_f32(const float* x, std::size_t count, float* y);

}  // namespace lawful::kernels
