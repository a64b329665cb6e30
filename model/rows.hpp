// Activations: one row of an axis for each token.
#pragma once
#include "kernels/index.hpp"
#include "model/axes.hpp"
#include "model/wiring.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

namespace lawful::model {

/// Memory of activations, 64-byte aligned. Given-back pieces are kept by their thread and handed out again, the smallest
/// that suffices, since a forward pass asks for the same sizes in every layer. A thread has never more pieces than it
/// once used at the same time, none larger than it once asked for: texts of many lengths take the memory of the longest.
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
  /// Bytes of this thread's pieces that nothing uses at the moment.
  static std::size_t kept_bytes();

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// Some values of one axis in memory: a row, or with Head<A> one head of a row.
template <class A, class Number = typename A::number>
struct Vec : std::span<Number, A::size> {
  explicit Vec(Number* values) : std::span<Number, A::size>(values, A::size) {}
};

/// Writes one head or row to the place of such a one.
template <class A>
void store(Vec<A, const typename A::number> from, Vec<A> to) {
  std::copy(from.begin(), from.end(), to.begin());
}
template <class A, class X, class Fault = FirstWrong<Seam<Vec<A, const typename A::number>, X>>>
wiring_fault<Expected<typename Fault::expected>, Observed<typename Fault::observed>> store(const X&, const Vec<A>&);

/// `count` rows of Axis::size numbers, one row a token. Move-only; a row is never shared.
template <class A>
class Rows {
 public:
  using Axis = A;
  using Model = typename A::Model;
  using Number = typename A::number;
  static constexpr std::size_t width = A::size;

  Rows() = default;
  explicit Rows(std::size_t count) : buffer_(kernels::Index::extent(count, width) * sizeof(Number)), count_(count) {}

  std::size_t count() const { return count_; }
  Number* data() { return static_cast<Number*>(buffer_.data()); }
  const Number* data() const { return static_cast<const Number*>(buffer_.data()); }
  Vec<A> row(std::size_t i) { return Vec<A>(data() + kernels::Index::row_begin(i, width)); }
  Vec<A, const Number> row(std::size_t i) const {
    return Vec<A, const Number>(data() + kernels::Index::row_begin(i, width));
  }
  /// Head h of row i, of an axis that has heads side by side.
  Vec<Head<A>, const Number> head(std::size_t i, std::size_t h) const {
    return Vec<Head<A>, const Number>(row(i).data() + kernels::Index::row_begin(h, Head<A>::size));
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

/// The last `count` rows; all where there are no more.
template <class A>
Rows<A> last_rows(Rows<A> rows, std::size_t count) {
  if (count >= rows.count()) return rows;
  Rows<A> out(count);
  for (std::size_t i = 0; i < count; ++i) store<A>(std::as_const(rows).row(rows.count() - count + i), out.row(i));
  return out;
}

}  // namespace lawful::model
