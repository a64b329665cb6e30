#include "model/rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <vector>

namespace lawful::model {
namespace {

constexpr std::size_t alignment = 64;

struct Piece {
  std::size_t bytes;
  void* data;
};

/// A thread's free pieces, the smallest first.
struct FreePieces {
  std::vector<Piece> pieces;
  ~FreePieces() {
    for (const Piece& piece : pieces) std::free(piece.data);
  }

  std::vector<Piece>::iterator at_least(std::size_t bytes) {
    return std::lower_bound(pieces.begin(), pieces.end(), bytes,
                            [](const Piece& piece, std::size_t wanted) { return piece.bytes < wanted; });
  }
};

FreePieces& free_pieces() {
  thread_local FreePieces pieces;
  return pieces;
}

}  // namespace

Buffer::Buffer(std::size_t bytes) : bytes_((bytes + alignment - 1) / alignment * alignment) {
  if (bytes_ == 0) return;
  auto& pieces = free_pieces().pieces;
  if (const auto fits = free_pieces().at_least(bytes_); fits != pieces.end()) {
    bytes_ = fits->bytes;
    data_ = fits->data;
    pieces.erase(fits);
    return;
  }
  if (!pieces.empty()) {  // the new piece takes the place of one that is too small
    std::free(pieces.back().data);
    pieces.pop_back();
  }
  data_ = std::aligned_alloc(alignment, bytes_);
  if (data_ == nullptr) throw std::bad_alloc();
}

Buffer::~Buffer() {
  if (data_ == nullptr) return;
  auto& free = free_pieces();
  free.pieces.insert(free.at_least(bytes_), {bytes_, data_});
}

std::size_t Buffer::kept_bytes() {
  std::size_t sum = 0;
  for (const Piece& piece : free_pieces().pieces) sum += piece.bytes;
  return sum;
}

}  // namespace lawful::model
