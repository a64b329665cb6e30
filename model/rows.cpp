#include "model/rows.hpp"

#include <cstdlib>
#include <new>
#include <unordered_map>
#include <vector>

namespace lawful::model {
namespace {

constexpr std::size_t alignment = 64;

struct FreePieces {
  std::unordered_map<std::size_t, std::vector<void*>> by_size;
  ~FreePieces() {
    for (auto& [bytes, pieces] : by_size)
      for (void* piece : pieces) std::free(piece);
  }
};

FreePieces& free_pieces() {
  thread_local FreePieces pieces;
  return pieces;
}

}  // namespace

Buffer::Buffer(std::size_t bytes) : bytes_((bytes + alignment - 1) / alignment * alignment) {
  if (bytes_ == 0) return;
  auto& pieces = free_pieces().by_size[bytes_];
  if (!pieces.empty()) {
    data_ = pieces.back();
    pieces.pop_back();
    return;
  }
  data_ = std::aligned_alloc(alignment, bytes_);
  if (data_ == nullptr) throw std::bad_alloc();
}

Buffer::~Buffer() {
  if (data_ != nullptr) free_pieces().by_size[bytes_].push_back(data_);
}

}  // namespace lawful::model
