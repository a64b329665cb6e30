// Linear time, bounded memory, a small stack, on texts that defeat regexes and heaps. LAWFUL_TEXT_BYTES=N sets the
// size of the larger text of each pair.
#include <doctest/doctest.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>

#include "props/tokenizer/smollm2.hpp"
#include "props/tokenizer/unicode_reference.hpp"

namespace {

using namespace lawful;
using props::smollm2;

std::size_t text_bytes() {
  const char* set = std::getenv("LAWFUL_TEXT_BYTES");
  return set != nullptr ? std::strtoull(set, nullptr, 10) : std::size_t{1} << 20;
}

struct Kind {
  std::string name;
  std::function<std::string(std::size_t)> text;  // of about that many bytes
};

std::string repeated(const std::string& unit, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + unit.size());
  while (text.size() < bytes) text += unit;
  return text;
}

template <class Pick>
std::string drawn(std::size_t bytes, Pick pick) {
  std::mt19937 random(20261129);
  std::string text;
  text.reserve(bytes + 4);
  while (text.size() < bytes) text += props::utf8_of(pick(random));
  return text;
}

char32_t any_scalar(std::mt19937& random) {
  const auto c = static_cast<char32_t>(random() % (0x110000 - 0x800));
  return c < 0xD800 ? c : c + 0x800;
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"one letter", [](std::size_t n) { return repeated("a", n); }},
      {"underscores", [](std::size_t n) { return repeated("_", n); }},
      {"one space", [](std::size_t n) { return repeated(" ", n); }},
      {"newlines", [](std::size_t n) { return repeated("\n", n); }},
      {"digits", [](std::size_t n) { return repeated("0123456789", n); }},
      {"full stops", [](std::size_t n) { return repeated(".", n); }},
      {"a CJK character", [](std::size_t n) { return repeated("\u4e00", n); }},
      {"emoji", [](std::size_t n) { return repeated("\U0001f600", n); }},
      {"bytes without a token", [](std::size_t n) { return repeated("\x04", n); }},
      {"beginnings of special tokens", [](std::size_t n) { return repeated("<|im_", n); }},
      {"a word of random letters",
       [](std::size_t n) { return drawn(n, [](auto& random) { return static_cast<char32_t>('a' + random() % 26); }); }},
      {"a word of a and b",
       [](std::size_t n) { return drawn(n, [](auto& random) { return static_cast<char32_t>('a' + random() % 2); }); }},
      {"random CJK",
       [](std::size_t n) { return drawn(n, [](auto& random) { return static_cast<char32_t>(0x4e00 + random() % 20000); }); }},
      {"random valid UTF-8", [](std::size_t n) { return drawn(n, any_scalar); }},
  };
  return all;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double seconds_to_encode(const std::string& text) {
  const double begin = cpu_seconds();
  const auto ids = smollm2().encode(text);
  const double seconds = cpu_seconds() - begin;
  REQUIRE(ids.size() <= text.size());
  return seconds;
}

/// Time for twice the text over time for the text: each the best of several tries, taken in turns.
double growth(const Kind& kind, std::size_t bytes) {
  // Memory from the system every time, as in a process that encodes one text. By itself malloc keeps what it was given
  // back below 32 MB, so that of two sizes on both sides of it only the larger one would pay for its pages.
  REQUIRE(mallopt(M_MMAP_THRESHOLD, 1 << 17) == 1);
  const std::string twice = kind.text(bytes), once = kind.text(bytes / 2);
  const int tries = bytes < (8U << 20U) ? 7 : 3;
  double for_twice = 1e9, for_once = 1e9;
  for (int i = 0; i < tries; ++i) {
    for_once = std::min(for_once, seconds_to_encode(once));
    for_twice = std::min(for_twice, seconds_to_encode(twice));
  }
  return for_twice / for_once;
}

std::size_t resident_bytes() {
  std::size_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// By how much encoding the text raises the highest memory of a process that holds the text.
std::size_t memory_to_encode(const std::string& text) {
  smollm2();
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::size_t before = resident_bytes();
    const auto ids = smollm2().encode(text);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const std::size_t more = static_cast<std::size_t>(usage.ru_maxrss) * 1024 - std::min(before, static_cast<std::size_t>(usage.ru_maxrss) * 1024);
    _exit(write(ends[1], &more, sizeof more) == sizeof more && ids.size() <= text.size() ? 0 : 1);
  }
  int status = 1;
  std::size_t more = ~std::size_t{0};
  CHECK(read(ends[0], &more, sizeof more) == sizeof more);
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  close(ends[0]);
  close(ends[1]);
  return more;
}

}  // namespace

TEST_CASE("time is linear: twice the text takes at most 2.3 times as long") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    double ratio = growth(kind, text_bytes());
    // A neighbour on the machine can spoil one measurement; a quadratic encoder gives 4 each time.
    for (int again = 0; again < 3 && ratio > 2.3; ++again) ratio = growth(kind, text_bytes());
    CHECK(ratio <= 2.3);
  }
}

TEST_CASE("the measurement sees a quadratic encoder") {
  const auto quadratic = [](std::size_t n) {
    const double begin = cpu_seconds();
    volatile std::size_t sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) sum = sum + 1;
    }
    return cpu_seconds() - begin;
  };
  double once = 1e9, twice = 1e9;
  for (int i = 0; i < 3; ++i) once = std::min(once, quadratic(2000)), twice = std::min(twice, quadratic(4000));
  CHECK(twice / once > 2.3);
}

TEST_CASE("memory beside the text: at most 9 bytes for each of its bytes, and a megabyte") {
  const std::size_t bytes = std::max(text_bytes(), std::size_t{4} << 20);
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    const std::string text = kind.text(bytes);
    CHECK(memory_to_encode(text) <= 9 * text.size() + (1U << 20U));
  }
}

TEST_CASE("a stack of 256 KB suffices") {
  for (const Kind& kind : kinds()) {
    CAPTURE(kind.name);
    const std::string text = kind.text(text_bytes());
    smollm2();
    std::pair<const std::string*, std::string> job{&text, ""};
    pthread_attr_t attributes;
    pthread_t thread;
    REQUIRE(pthread_attr_init(&attributes) == 0);
    REQUIRE(pthread_attr_setstacksize(&attributes, 256 * 1024) == 0);
    const auto work = [](void* argument) -> void* {
      auto& [input, output] = *static_cast<decltype(job)*>(argument);
      output = smollm2().decode(smollm2().encode(*input, tokenizer::Specials::plain));
      return nullptr;
    };
    REQUIRE(pthread_create(&thread, &attributes, work, &job) == 0);
    REQUIRE(pthread_join(thread, nullptr) == 0);
    pthread_attr_destroy(&attributes);
    std::string expected;
    for (const char c : text) {
      if (smollm2().vocabulary().byte_token(static_cast<unsigned char>(c)) != tokenizer::Vocabulary::none) expected += c;
    }
    const bool same = job.second == expected;
    CHECK(same);
  }
}

TEST_CASE("one huge text") {
  const std::size_t bytes = text_bytes();
  const std::string text = repeated("a", bytes / 2) + repeated(" The quick brown fox, 2026.\n", bytes / 2);
  const std::size_t more = memory_to_encode(text);
  CHECK(more + text.size() <= 16 * text.size() + (64U << 20U));
}
