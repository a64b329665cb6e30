// Activations: one row of an axis for each token.
#pragma once
#include "kernels/index.hpp"

#include <cstddef>
#include <span>
#include <utility>

namespace lawful::model {

/// Memory of activations, 64-byte aligned. Given-back pieces are kept and handed out again, since a forward pass asks
/// for the same sizes in every layer.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes);
  Buffer(Buffer&& other) noexcept : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Buffer();
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// `count` rows of Axis::size numbers, one row a token. Move-only; a row is never shared.
template <class A>
class Rows {
 public:
  using Axis = A;
  using Number = typename A::number;
  static constexpr std::size_t width = A::size;

  Rows() = default;
  explicit Rows(std::size_t count) : buffer_(kernels::Index::extent(count, width) * sizeof(Number)), count_(count) {}

  std::size_t count() const { return count_; }
  Number* data() { return static_cast<Number*>(buffer_.data()); }
  const Number* data() const { return static_cast<const Number*>(buffer_.data()); }
  std::span<Number, width> row(std::size_t i) {
    return std::span<Number, width>(data() + kernels::Index::row_begin(i, width), width);
  }
  std::span<const Number, width> row(std::size_t i) const {
    return std::span<const Number, width>(data() + kernels::Index::row_begin(i, width), width);
  }

 private:
  template <class To, class From>
  friend Rows<To> renamed(Rows<From>&& rows);
  Buffer buffer_;
  std::size_t count_ = 0;
};

/// The same numbers in another role. Only the edges of the forward pass do this, by a name of their own.
template <class To, class From>
Rows<To> renamed(Rows<From>&& rows) {
  static_assert(To::size == From::size);
  Rows<To> out;
  out.buffer_ = std::move(rows.buffer_);
  out.count_ = std::exchange(rows.count_, 0);
  return out;
}

}  // namespace lawful::model
