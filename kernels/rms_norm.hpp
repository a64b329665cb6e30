// Root mean square norm (Zhang & Sennrich 2019, arXiv:1910.07467).
#pragma once
#include <cstddef>

namespace lawful::kernels {

/// y = gain · (x · 1/√(mean(x²) + eps)) for `rows` rows of `width` values. x is the residual stream in double; all is
/// computed in double and rounded to F32 once. The squares are added in 16 lanes of double, then in the canonical tree.
/// `width` is a multiple of 16.
void rms_norm(const double* x, const float* gain, double eps, std::size_t rows, std::size_t width, float* y);

}  // namespace lawful::kernels
