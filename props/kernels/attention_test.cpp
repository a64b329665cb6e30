// Attention against plain scalar code, bit for bit, and what it may read: the keys up to the query's position, all of
// them and no others.
#include "kernels/attention.hpp"
#include "props/kernels/numbers.hpp"
#include "props/kernels/plain.hpp"
#include "props/kernels/settings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace lawful::props;
using lawful::kernels::AttentionShape;

struct Case {
  AttentionShape shape;
  std::size_t rows, first;
  std::vector<float> q, keys, values;

  std::size_t plane() const { return shape.capacity * shape.head; }
  std::vector<float> expected() const { return plain_attention(shape, q, rows, keys, values, first); }
  std::vector<float> found() const {
    std::vector<float> out(q.size(), -1.0F);
    lawful::kernels::attention(shape, q.data(), rows, keys.data(), values.data(), first, out.data());
    return out;
  }
  /// Puts `value` into every row of the cache from `row` on.
  void fill_from(std::size_t row, float value) {
    for (std::size_t kv = 0; kv < shape.kv_heads; ++kv)
      for (std::size_t i = kv * plane() + row * shape.head; i < (kv + 1) * plane(); ++i) keys[i] = values[i] = value;
  }
};

Case make_case(const AttentionShape& shape, std::size_t rows, std::size_t first, Numbers& numbers) {
  const std::size_t cached = shape.kv_heads * shape.capacity * shape.head;
  return {shape, rows, first, numbers.values(rows * shape.kv_heads * shape.group * shape.head, -4, 1),
          numbers.values(cached, -4, 1), numbers.values(cached, -4, 1)};
}

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("attention is the plain one, for every count of keys about the ends of lanes and blocks") {
  Numbers numbers(21);
  for (const std::size_t first : {0, 1, 14, 15, 16, 17, 30, 31, 32, 33, 63, 64, 95, 96, 200, 1030})
    for (const std::size_t rows : {1, 2, 5, 33}) {
      const AttentionShape shape{1 + numbers.below(3), 1 + numbers.below(3), 16 * (1 + numbers.below(6)),
                                 first + rows + numbers.below(3)};
      INFO(rows, " rows from position ", first, "; ", shape.kv_heads, " KV heads, group ", shape.group, ", head ",
           shape.head);
      const Case c = make_case(shape, rows, first, numbers);
      const auto expected = c.expected();
      on_every_setting([&] { check_bits(c.found(), expected); });
    }
}

TEST_CASE("attention is the plain one in the published shapes") {
  Numbers numbers(22);
  for (const auto& [kv_heads, group] : {std::pair{3, 3}, std::pair{5, 3}, std::pair{32, 1}})
    for (const std::size_t rows : {1, 40}) {
      const AttentionShape shape{static_cast<std::size_t>(kv_heads), static_cast<std::size_t>(group), 64, 80};
      const Case c = make_case(shape, rows, 40, numbers);
      const auto expected = c.expected();
      on_every_setting([&] { check_bits(c.found(), expected); });
    }
}

TEST_CASE("nothing above the query's position is read: NaN there changes no bit") {
  Numbers numbers(23);
  for (const std::size_t first : {0, 1, 15, 16, 31, 32, 47}) {
    Case c = make_case({2, 3, 64, 80}, 4, first, numbers);
    const auto expected = c.expected();
    c.fill_from(first + c.rows, not_a_number);
    on_every_setting([&] { check_bits(c.found(), expected); });
    Case earlier = c;  // the first row must not see the second's key either
    earlier.rows = 1;
    earlier.q.resize(earlier.q.size() / c.rows);
    earlier.fill_from(first + 1, not_a_number);
    const std::vector<float> alone(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(earlier.q.size()));
    on_every_setting([&] { check_bits(earlier.found(), alone); });
  }
}

TEST_CASE("a later key weighs nothing even for the rows computed beside it") {
  Numbers numbers(24);
  for (const std::size_t later : {1, 3, 16, 20}) {
    Case c = make_case({2, 3, 32, 40}, 21, 7, numbers);
    const auto before = c.found();
    c.fill_from(7 + later, not_a_number);  // the rows from `later` on read it, those before must not
    const std::size_t row = 2 * 3 * 32, kept = later * row;
    on_every_setting([&] {
      const auto after = c.found();
      std::size_t changed = 0, finite = 0;
      for (std::size_t i = 0; i < after.size(); ++i) {
        if (i < kept) changed += after[i] != before[i];
        else finite += std::isfinite(after[i]);
      }
      CHECK(changed == 0);
      CHECK(finite == 0);
    });
  }
}

TEST_CASE("every key and value up to the query's position is read: another one changes the result") {
  Numbers numbers(25);
  for (const std::size_t t : {0, 1, 15, 16, 33}) {
    Case c = make_case({2, 2, 32, 40}, 1, t, numbers);
    for (float& k : c.keys) k *= 0.25F;  // so that no key takes all the weight
    const auto before = c.found();
    on_every_setting([&] {
      for (std::size_t j = 0; j <= t; ++j)
        for (std::vector<float>* part : {&c.keys, &c.values}) {
          if (part == &c.keys && t == 0) continue;  // one key has the weight 1 whatever its score is
          float& at = (*part)[c.plane() + j * c.shape.head + 3];
          const float kept = at;
          at += 1.0F;
          const auto after = c.found();
          at = kept;
          const std::size_t kv1 = c.q.size() / 2;  // the second KV head's queries
          CHECK(std::equal(after.begin(), after.begin() + 64, before.begin()));
          for (std::size_t h = 0; h < 2; ++h) {
            std::size_t changed = 0;
            for (std::size_t d = 0; d < 32; ++d) changed += after[kv1 + h * 32 + d] != before[kv1 + h * 32 + d];
            CHECK(changed > 0);
          }
        }
    });
  }
}

TEST_CASE("query head h of 9 over 3 KV heads reads the values of KV heads 0 0 0 1 1 1 2 2 2") {
  Numbers numbers(26);
  Case c = make_case({3, 3, 64, 20}, 2, 17, numbers);
  for (std::size_t kv = 0; kv < 3; ++kv)
    for (std::size_t i = 0; i < c.plane(); ++i) c.values[kv * c.plane() + i] = static_cast<float>(kv);
  constexpr int expected[9] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
  on_every_setting([&] {
    const auto out = c.found();
    for (std::size_t i = 0; i < out.size(); ++i)
      if (std::fabs(out[i] - static_cast<float>(expected[i / 64 % 9])) > 1e-5F)
        FAIL_CHECK("head ", i / 64 % 9, " gives ", out[i]);
  });
}

TEST_CASE("scores that lie far apart, and infinite ones, neither overflow nor divide by zero") {
  Numbers numbers(27);
  Case c = make_case({1, 1, 16, 40}, 1, 39, numbers);
  for (float& q : c.q) q = 100.0F;
  for (std::size_t j = 0; j < 40; ++j)
    for (std::size_t d = 0; d < 16; ++d) c.keys[j * 16 + d] = static_cast<float>(j) * 10.0F;
  const auto expected = c.expected();
  for (std::size_t d = 0; d < 16; ++d) CHECK(expected[d] == c.values[39 * 16 + d]);
  on_every_setting([&] { check_bits(c.found(), expected); });
}

TEST_CASE("texts in one call are those of a call each, whatever the others hold and however long they are") {
  Numbers numbers(27);
  for (const auto& [kv_heads, group, head] : {std::tuple{2, 3, 32}, std::tuple{3, 3, 64}, std::tuple{4, 1, 64}}) {
    std::vector<Case> cases;
    for (const auto& [rows, first] : {std::pair{1, 0}, std::pair{1, 700}, std::pair{5, 14}, std::pair{1, 33}, std::pair{40, 9}})
      cases.push_back(make_case({static_cast<std::size_t>(kv_heads), static_cast<std::size_t>(group),
                                 static_cast<std::size_t>(head), static_cast<std::size_t>(first + rows) + numbers.below(40)},
                                static_cast<std::size_t>(rows), static_cast<std::size_t>(first), numbers));
    std::vector<std::vector<float>> expected;
    for (const Case& c : cases) expected.push_back(c.expected());
    cases.push_back(cases[2]);  // and one whose cache is not a number
    cases.back().fill_from(0, not_a_number);
    on_every_setting([&] {
      std::vector<std::vector<float>> found;
      std::vector<lawful::kernels::AttentionRows> texts;
      for (const Case& c : cases) found.emplace_back(c.q.size(), -1.0F);
      for (std::size_t i = 0; i < cases.size(); ++i)
        texts.push_back({cases[i].shape, cases[i].q.data(), cases[i].rows, cases[i].keys.data(), cases[i].values.data(),
                         cases[i].first, found[i].data()});
      lawful::kernels::attention(texts);
      for (std::size_t i = 0; i < expected.size(); ++i) check_bits(found[i], expected[i]);
      CHECK(std::ranges::all_of(found.back(), [](float x) { return std::isnan(x); }));
    });
  }
}

TEST_CASE("texts of different heads do not go together") {
  Numbers numbers(28);
  const Case one = make_case({2, 3, 32, 5}, 1, 2, numbers);
  for (const AttentionShape& other : {AttentionShape{3, 2, 32, 5}, AttentionShape{2, 2, 32, 5}, AttentionShape{2, 3, 16, 5}}) {
    std::vector<float> out(2 * 3 * 32);
    const lawful::kernels::AttentionRows text{one.shape, one.q.data(), 1, one.keys.data(), one.values.data(), 2, out.data()};
    auto another = text;
    another.shape = other;
    CHECK_THROWS_AS(lawful::kernels::attention(std::vector{text, another}), std::invalid_argument);
  }
}
