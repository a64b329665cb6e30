// What a reader of a checkpoint wants to know of its tensors beyond names and shapes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "io/progress.hpp"
#include "model/checkpoint/contents.hpp"

namespace lawful::model {

/// Of a tensor's values, widened to F32. Least, largest and mean are of the finite values, and 0 if there are none;
/// the mean is the sum in double, in the order of the file, over their number.
struct TensorFigures {
  float least = 0;
  float largest = 0;
  double mean = 0;
  std::uint64_t nan = 0;
  std::uint64_t infinite = 0;
};

/// Reads every value once.
TensorFigures figures(const StoredTensor& tensor);

/// The SHA-256 of a file's bytes in hexadecimal.
std::string sha256_of(const io::MappedFile& file, const io::Progress& progress = {});

/// What a tensor does in the model, from its Hugging Face name: "query projection"; "unknown" outside a Llama.
std::string_view role(std::string_view name);

}  // namespace lawful::model
