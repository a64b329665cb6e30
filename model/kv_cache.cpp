#include "model/kv_cache.hpp"

#include "io/bad_input.hpp"

namespace lawful::model {

Planes::Planes(std::size_t capacity, std::size_t kv_heads, std::size_t head)
    : capacity_(capacity), extent_(plane_extent(capacity, kv_heads, head)) {
  // calloc maps zero pages lazily: positions that are never written take no memory.
  memory_.reset(static_cast<float*>(std::calloc(2 * extent_, sizeof(float))));
  if (memory_ == nullptr)
    throw io::Failure(fmt::format("KV cache: {} positions of a layer need {} bytes, the machine refuses them", capacity,
                                  2 * extent_ * sizeof(float)));
}

}  // namespace lawful::model
