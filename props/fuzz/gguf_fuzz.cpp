// Any bytes as a GGUF checkpoint: container, keys, vocabulary, tensors.
#include <algorithm>

#include "model/checkpoint/checkpoint.hpp"
#include "props/fuzz/demand.hpp"
#include "props/fuzz/memory_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lawful::props;
  const MemoryFile file(data, size);
  refused_or_sound([&] {
    const auto checkpoint = lawful::model::Checkpoint::open(file.path(), lawful::io::Access::copied);
    const auto bytes = checkpoint.files().front().bytes();
    for (const auto& tensor : checkpoint.tensors()) {
      demand(tensor.bytes >= bytes.data());
      demand(tensor.byte_count <= bytes.size());
      demand(static_cast<std::size_t>(tensor.bytes - bytes.data()) <= bytes.size() - tensor.byte_count);
    }
    for (const auto id : checkpoint.eos()) demand(id < checkpoint.shape().vocab);
    demand(checkpoint.tokenizer().size() == checkpoint.shape().vocab);
  });
  return 0;
}
