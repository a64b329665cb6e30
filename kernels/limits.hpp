// What this machine can do at most, measured: the limits that the kernels are held against.
#pragma once
#include <cstddef>

namespace lawful::kernels {

/// Bytes per second that the threads in use read from memory, over `bytes` bytes (much more than the caches), once.
double measure_read_bandwidth(std::size_t bytes);

/// F32 fused multiply-adds per second, times two, that the threads in use do in registers, over about `seconds`.
double measure_fma_rate(double seconds);

}  // namespace lawful::kernels
