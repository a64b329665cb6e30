// Memory that a thread's kernels work in, kept between calls.
#pragma once
#include <hwy/aligned_allocator.h>

#include <cstddef>
#include <new>

namespace lawful::kernels {

/// At least `count` values of this thread and this Tag, aligned for vectors, not initialized. Good until the next call
/// with the Tag.
template <class Tag, class T>
T* thread_scratch(std::size_t count) {
  thread_local hwy::AlignedFreeUniquePtr<T[]> memory;
  thread_local std::size_t size = 0;
  if (count > size) {
    memory.reset();
    memory = hwy::AllocateAligned<T>(count);
    if (memory == nullptr) throw std::bad_alloc();
    size = count;
  }
  return memory.get();
}

}  // namespace lawful::kernels
