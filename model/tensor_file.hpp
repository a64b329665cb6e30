// Writing F32 tensors in the safetensors format, as they are made.
#pragma once
#include "io/atomic_file.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lawful::model {

/// The tensors of a file to be written, in order: names, and shapes [rows, width].
struct TensorPlan {
  std::string name;
  std::size_t rows, width;
};

/// A safetensors file of F32 tensors whose values are given in the order of the plan. It appears at commit().
class TensorFile {
 public:
  TensorFile(std::string path, const std::vector<TensorPlan>& plan);
  void write(std::span<const float> values) { file_.write_values(values); }
  void commit() { file_.commit(); }

 private:
  io::AtomicFile file_;
};

}  // namespace lawful::model
