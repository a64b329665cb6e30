// A checkpoint's tensors as plain F32 values in Hugging Face's order of rows, for comparison.
#pragma once
#include <vector>

#include "model/checkpoint/checkpoint.hpp"
#include "props/checkpoint/test_model.hpp"

namespace lawful::props {

/// All values of a tensor, row by row; the rows of Q and K of a GGUF un-permuted. `half` is half a head's width.
std::vector<float> values_of(const model::StoredTensor& tensor, std::size_t half);

/// Whether the checkpoint holds the model's tensors with exactly its values, and no others.
bool holds(const model::Checkpoint& checkpoint, const TestModel& model);

}  // namespace lawful::props
