// Laws of the arithmetic on the production kernels. Where a term is added is seen from outside by what F32 loses: 1
// added to 2^30 in a lane is gone. Lanes are added in double, so in another one it is kept.
#pragma once
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "kernels/isa.hpp"
#include "kernels/matmul.hpp"
#include "kernels/order.hpp"
#include "kernels/rope.hpp"
#include "kernels/team.hpp"
#include "props/laws/attention_code.hpp"

namespace lawful::props {

/// Any instruction set and count of threads; the usual ones again when the scope ends.
class AnySetting {
 public:
  AnySetting() {
    const auto sets = kernels::instruction_sets();
    kernels::use_instruction_set(sets[number(0, sets.size() - 1)]);
    kernels::use_threads(static_cast<int>(number(1, 5)));
  }
  AnySetting(const AnySetting&) = delete;
  ~AnySetting() {
    kernels::use_instruction_set(kernels::instruction_sets().front());
    kernels::use_threads(kernels::machine_threads());
  }
};

/// The sum of `terms` as the production kernel adds it: products with 1, in any row of any matrix and any token, on any
/// setting, beside rows and tokens of other numbers.
class ProbedSum {
 public:
  explicit ProbedSum(std::size_t length)
      : rows_(number(1, 9)), tokens_(number(1, 8)), row_(number(0, rows_ - 1)), token_(number(0, tokens_ - 1)),
        length_(length), weights_(rows_ * length, 3.0F), x_(tokens_ * length, 1.0F) {
    for (std::size_t k = 0; k < length; ++k) term(k, 0.0F);
  }
  void term(std::size_t k, float value) { weights_[row_ * length_ + k] = value; }
  void factors(std::size_t k, float w, float x) { term(k, w), x_[token_ * length_ + k] = x; }

  double operator()() const {
    const AnySetting setting;
    std::vector<double> out(rows_ * tokens_);
    const kernels::StoredMatrix matrix{reinterpret_cast<const std::byte*>(weights_.data()), rows_, length_,
                                       kernels::Storage::f32};
    const kernels::Product<double> product{matrix, out.data()};
    kernels::matmul(std::span(&product, 1), x_.data(), tokens_);
    return out[token_ * rows_ + row_];
  }

 private:
  std::size_t rows_, tokens_, row_, token_, length_;
  std::vector<float> weights_, x_;
};

constexpr float large = 0x1p30F;
constexpr std::size_t block_terms = 320, last_step = 19;  // written out, and not Order's: the kernels are held to them

template <>
struct RunningCode<laws::term_has_one_place> {
  static void check() {
    always("each term of a sum comes into it once", [] {
      const auto length = 32 * number(1, 40);
      ProbedSum sum(length);
      sum.term(number(0, length - 1), 5.0F);
      RC_ASSERT(sum() == 5.0);
    });
    always("two terms meet in a lane of F32 where k mod 16 agrees, and nowhere else", [] {
      const auto length = 32 * number(2, 40);
      const auto i = number(0, length - 2);
      const auto j = *rc::gen::oneOf(rc::gen::inRange(i + 1, length), rc::gen::just(std::min(i + 16, length - 1)));
      const bool together = i % 16 == j % 16;
      RC_CLASSIFY(together);
      ProbedSum sum(length);
      sum.term(i, large), sum.term(j, 1.0F);
      RC_ASSERT(sum() == static_cast<double>(large) + (together ? 0.0 : 1.0));
    }, 400);
    always("a block's sum begins at zero: 2^30 and -2^30 in it cancel before an earlier block's 1 is added", [] {
      const auto length = 32 * number(2, 40), i = number(0, length - 17), next = i + 16;
      const auto steps = (length - 1 - i % 16) / 16;  // of this lane, after its first
      const auto j = *rc::gen::oneOf(rc::gen::inRange<std::size_t>(0, length),
                                     rc::gen::map(rc::gen::inRange<std::size_t>(0, steps + 1),
                                                  [i](std::size_t step) { return i % 16 + 16 * step; }));
      if (j == i || j == next) return;
      const auto block = [](std::size_t k) { return k / block_terms; };
      const bool cut = block(i) != block(next);  // 2^30 is then there while the blocks are added: all before it is lost
      const bool met = j % 16 == i % 16 && (cut ? j < i || block(j) == block(next) : j < i && block(j) == block(i));
      RC_CLASSIFY(met);
      RC_CLASSIFY(cut);
      ProbedSum sum(length);
      sum.term(i, large), sum.term(next, -large), sum.term(j, 1.0F);
      RC_ASSERT(sum() == (met ? 0.0 : 1.0));
    }, 400);
  }
};

template <>
struct RunningCode<laws::place_has_one_term> {
  static void check() {
    always("every place adds its term, and the sum of ones is their number", [] {
      const auto length = 32 * number(1, 64);
      ProbedSum sum(length);
      for (std::size_t k = 0; k < length; ++k) sum.term(k, 1.0F);
      RC_ASSERT(sum() == static_cast<double>(length));
    });
  }
};

template <>
struct RunningCode<laws::lane_rises> {
  static void check() {
    always("in a lane 1, 2^30, -2^30 add up to 0 in rising order; 2^30, -2^30, 1 to 1", [] {
      const auto blocks = number(1, 4), block = number(0, blocks - 1), lane = number(0, 15);
      const auto first = number(0, last_step - 2), second = number(first + 1, last_step - 1);
      const auto third = number(second + 1, last_step);
      const auto at = [&](std::size_t step) { return kernels::Order::term(block, step, lane); };
      ProbedSum lost(block_terms * blocks), kept(block_terms * blocks);
      lost.term(at(first), 1.0F), lost.term(at(second), large), lost.term(at(third), -large);
      kept.term(at(first), large), kept.term(at(second), -large), kept.term(at(third), 1.0F);
      RC_ASSERT(lost() == 0.0);
      RC_ASSERT(kept() == 1.0);
    });
    always("a product and its addition are rounded once, not twice", [] {
      const auto lane = number(0, 15), step = number(0, last_step - 1), later = number(step + 1, last_step);
      ProbedSum sum(block_terms);
      sum.term(kernels::Order::term(std::size_t{0}, step, lane), -(1.0F + 0x1p-11F));
      sum.factors(kernels::Order::term(std::size_t{0}, later, lane), 1.0F + 0x1p-12F, 1.0F + 0x1p-12F);
      RC_ASSERT(sum() == 0x1p-24);  // the rounded product would be 1 + 2^-11 and the sum 0
    });
  }
};

/// Several rows of queries over one cache.
struct RowsCase {
  AttentionCase last;
  std::size_t rows, first;
  std::vector<float> q;

  static RowsCase any() {
    const auto last = AttentionCase::any();
    const auto rows = number(1, last.t + 1);
    return {last, rows, last.t + 1 - rows, AttentionCase::floats(rows * last.q.size())};
  }
  std::vector<float> run(std::size_t row, std::size_t count) const {
    const AnySetting setting;
    std::vector<float> out(count * last.q.size());
    kernels::attention(last.shape, q.data() + row * last.q.size(), count, last.keys.data(), last.values.data(),
                       first + row, out.data());
    return out;
  }
};

template <>
struct RunningCode<laws::decode_is_prefill> {
  static void check() {
    always("attention of several rows in one call gives the bits of a call for each, however they are cut", [] {
      const auto c = RowsCase::any();
      const auto cut = number(0, c.rows);
      auto pieces = c.run(0, cut);
      const auto rest = c.run(cut, c.rows - cut);
      pieces.insert(pieces.end(), rest.begin(), rest.end());
      RC_ASSERT(pieces == c.run(0, c.rows));
    }, 100);
  }
};

template <>
struct RunningCode<laws::future_weighs_nothing> {
  static void check() {
    always("NaN in the rows after t changes no bit of the rows up to t, though later rows of the call read it", [] {
      auto c = RowsCase::any();
      const auto clean = c.run(0, c.rows);
      const auto row = number(0, c.rows - 1), width = c.last.q.size();
      const auto& s = c.last.shape;
      for (std::size_t kv = 0; kv < s.kv_heads; ++kv)
        for (std::size_t i = c.last.row(kv, c.first + row + 1); i < c.last.row(kv + 1, 0); ++i)
          c.last.keys[i] = c.last.values[i] = std::numeric_limits<float>::quiet_NaN();
      const auto found = c.run(0, c.rows);
      RC_ASSERT(std::memcmp(found.data(), clean.data(), (row + 1) * width * sizeof(float)) == 0);
      for (std::size_t i = (row + 1) * width; i < found.size(); ++i) RC_ASSERT(std::isnan(found[i]));
    }, 100);
  }
};

template <>
struct RunningCode<laws::position_counts> {
  static void check() {
    always("the rotation of a row depends on the number of tokens before it alone", [] {
      const auto a = number(0, 4000), b = number(0, 20), rows = number(1, 10), heads = number(1, 3);
      const auto half = 8 * number(1, 4), width = 2 * half * heads;
      const auto frequency = AttentionCase::floats(half), x = AttentionCase::floats((b + rows) * width);
      std::vector<float> together(x.size()), alone(rows * width);
      const AnySetting setting;
      kernels::rope(x.data(), b + rows, heads, frequency, a, together.data());
      kernels::rope(x.data() + b * width, rows, heads, frequency, a + b, alone.data());
      RC_ASSERT(std::memcmp(together.data() + b * width, alone.data(), alone.size() * sizeof(float)) == 0);
    }, 100);
  }
};

template <>
struct RunningCode<laws::rows_apart> {
  static void check() {
    always("a row's product does not depend on what stands in the rows and tokens beside it", [] {
      const auto length = 32 * number(1, 20), rows = number(1, 40), tokens = number(1, 14);
      const auto row = number(0, rows - 1), token = number(0, tokens - 1);
      auto weights = AttentionCase::floats(length), x = AttentionCase::floats(length);
      const double alone = kernels::dot(weights.data(), x.data(), length);
      std::vector<float> all_rows(rows * length, std::numeric_limits<float>::quiet_NaN());
      std::vector<float> all_x(tokens * length, 1e30F);
      std::copy(weights.begin(), weights.end(), all_rows.begin() + static_cast<std::ptrdiff_t>(row * length));
      std::copy(x.begin(), x.end(), all_x.begin() + static_cast<std::ptrdiff_t>(token * length));
      std::vector<double> out(rows * tokens);
      const kernels::Product<double> product{
          {reinterpret_cast<const std::byte*>(all_rows.data()), rows, length, kernels::Storage::f32}, out.data()};
      const AnySetting setting;
      kernels::matmul(std::span(&product, 1), all_x.data(), tokens);
      RC_ASSERT(out[token * rows + row] == alone);
    }, 100);
    always("attention over a text's cache does not depend on the texts in the same call", [] {
      const auto one = RowsCase::any();
      auto other = one;
      other.last.keys.assign(other.last.keys.size(), std::numeric_limits<float>::quiet_NaN());
      const auto before = number(0, 3), after = number(0, 3);
      std::vector<float> found(one.q.size()), ignored(one.q.size());
      const auto text = [](const RowsCase& c, std::vector<float>& out) {
        return kernels::AttentionRows{c.last.shape, c.q.data(), c.rows, c.last.keys.data(), c.last.values.data(), c.first,
                                      out.data()};
      };
      std::vector<kernels::AttentionRows> texts(before, text(other, ignored));
      texts.push_back(text(one, found));
      texts.insert(texts.end(), after, text(other, ignored));
      const auto alone = one.run(0, one.rows);
      const AnySetting setting;
      kernels::attention(texts);
      RC_ASSERT(std::memcmp(found.data(), alone.data(), alone.size() * sizeof(float)) == 0);
    }, 100);
  }
};

}  // namespace lawful::props
