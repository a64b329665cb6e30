// Any bytes as a safetensors file.
#include "model/checkpoint/safetensors.hpp"
#include "props/fuzz/demand.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lawful::props;
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  refused_or_sound([&] {
    const std::byte* end = nullptr;
    for (const auto& tensor : lawful::model::read_safetensors(bytes, "file")) {
      demand(end == nullptr || tensor.bytes == end);  // no gap, no overlap
      end = tensor.bytes + tensor.byte_count;
      std::uint64_t values = 1;
      for (const auto dim : tensor.shape) values *= dim;
      demand(values == tensor.value_count());
      std::vector<float> widened(values);
      lawful::kernels::widen(tensor.storage, tensor.bytes, values, widened.data());  // reads every byte
    }
    demand(end == nullptr || end == bytes.data() + bytes.size());
  });
  return 0;
}
