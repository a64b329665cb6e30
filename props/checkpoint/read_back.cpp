#include "props/checkpoint/read_back.hpp"

#include "kernels/index.hpp"
#include "kernels/storage.hpp"

namespace lawful::props {

std::vector<float> values_of(const model::StoredTensor& tensor, std::size_t half) {
  const std::size_t cols = tensor.shape.back(), rows = tensor.value_count() / cols;
  const std::size_t row_bytes = tensor.byte_count / rows;
  std::vector<float> values(rows * cols);
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t stored = tensor.row_order == kernels::RowOrder::straight
                                   ? row
                                   : kernels::Index::interleaved_row(row, half);
    kernels::widen(tensor.storage, tensor.bytes + stored * row_bytes, cols, values.data() + row * cols);
  }
  return values;
}

bool holds(const model::Checkpoint& checkpoint, const TestModel& model) {
  if (checkpoint.tensors().size() != model.tensors.size()) return false;
  for (const auto& expected : model.tensors) {
    const auto* found = checkpoint.find(expected.name);
    if (found == nullptr || found->shape != expected.shape) return false;
    if (values_of(*found, model.config.half) != expected.values()) return false;
  }
  return true;
}

}  // namespace lawful::props
