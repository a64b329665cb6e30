// What the process may still take.
#include "io/available_memory.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace lawful {
namespace {

/// Bytes of address space that this process has.
std::size_t address_space() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  file >> pages;
  REQUIRE(pages > 0);
  return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

TEST_CASE("available memory is what the machine has, at most") {
  const std::size_t bytes = io::available_memory();
  CHECK(bytes > 1U << 20);
  CHECK(bytes < std::size_t{1} << 50);
}

TEST_CASE("a limit on address space is a limit on memory") {
  constexpr std::size_t more = 64U << 20;
  struct rlimit before {};
  REQUIRE(getrlimit(RLIMIT_AS, &before) == 0);
  const struct rlimit close{address_space() + more, before.rlim_max};
  REQUIRE(setrlimit(RLIMIT_AS, &close) == 0);
  const std::size_t left = io::available_memory();
  REQUIRE(setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(left <= more);
}

}  // namespace lawful
