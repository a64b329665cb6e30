// The instruction sets that the vector kernels are compiled for. Include before anything of Highway.
//
// All targets give the same bits: on those without a fused multiply-add instruction it is computed exactly, and slowly.
// Each target costs compile time, so those that would bring these kernels nothing over the next lower one are left out;
// so are Arm's vectors of unknown length, which cannot be held in arrays.
#pragma once
#if defined(__x86_64__)
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#elif defined(__aarch64__)
// NEON is every AArch64's, so there is nothing to choose between at run time. Highway would else compile it for processors
// with AES only, which not all have (this name is how it is told that there is no choice).
#define TOOLCHAIN_MISS_SYS_AUXV_H
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#endif
