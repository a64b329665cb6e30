#include "kernels/matmul.hpp"

#include "kernels/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/matmul.cpp"
#include <hwy/foreach_target.h>

#include "kernels/matmul_direct-inl.hpp"
#include "kernels/matmul_packed-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace lawful::kernels::HWY_NAMESPACE {

template <class Number>
void matmul_on(std::span<const Product<Number>> products, const float* x, std::size_t tokens) {
  bool direct = tokens <= direct_tokens;
  for (const auto& p : products) direct = direct && has_direct_form(p.weights.storage);
  if (direct) return multiply_direct(products, x, tokens);
  multiply_packed(products, x, tokens);
}

void matmul_float(std::span<const Product<float>> products, const float* x, std::size_t tokens) {
  matmul_on(products, x, tokens);
}
void matmul_double(std::span<const Product<double>> products, const float* x, std::size_t tokens) {
  matmul_on(products, x, tokens);
}

}  // namespace lawful::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lawful::kernels {

HWY_EXPORT(matmul_float);
HWY_EXPORT(matmul_double);

void matmul(std::span<const Product<float>> products, const float* x, std::size_t tokens) {
  if (tokens != 0 && !products.empty()) HWY_DYNAMIC_DISPATCH(matmul_float)(products, x, tokens);
}
void matmul(std::span<const Product<double>> products, const float* x, std::size_t tokens) {
  if (tokens != 0 && !products.empty()) HWY_DYNAMIC_DISPATCH(matmul_double)(products, x, tokens);
}

}  // namespace lawful::kernels
#endif
