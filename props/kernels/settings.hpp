// Every way that a kernel may be run, and the comparison of what it gives, bit for bit.
#pragma once
#include "kernels/isa.hpp"
#include "kernels/team.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace lawful::props {

/// Calls body() on each instruction set of this machine with 1, 2, 3 and 7 threads, then puts the settings back.
template <class Body>
void on_every_setting(Body body) {
  const std::string best(kernels::instruction_sets().front());
  for (const auto isa : kernels::instruction_sets())
    for (const int threads : {1, 2, 3, 7}) {
      REQUIRE(kernels::use_instruction_set(isa));
      kernels::use_threads(threads);
      INFO("instruction set ", std::string(isa), ", threads ", threads);
      body();
    }
  REQUIRE(kernels::use_instruction_set(best));
  kernels::use_threads(kernels::machine_threads());
}

/// How many values have other bits than expected; `first` is where the first of them lies.
struct Difference {
  std::size_t count, first;
};

template <class T>
Difference difference(const std::vector<T>& found, const std::vector<T>& expected) {
  REQUIRE(found.size() == expected.size());
  Difference out{0, 0};
  for (std::size_t i = 0; i < found.size(); ++i)
    if (std::memcmp(&found[i], &expected[i], sizeof(T)) != 0 && out.count++ == 0) out.first = i;
  return out;
}

/// Fails, with the first value that differs, unless all bits are equal.
template <class T>
void check_bits(const std::vector<T>& found, const std::vector<T>& expected) {
  const Difference all = difference(found, expected);
  INFO(all.count, " of ", found.size(), " values differ, the first at ", all.first, ": found ",
       found.empty() ? T() : found[all.first], ", expected ", found.empty() ? T() : expected[all.first]);
  CHECK(all.count == 0);
}

}  // namespace lawful::props
