// No file costs more memory than twice its size and 64 MB, however it is made.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/bad_input.hpp"
#include "model/checkpoint/checkpoint.hpp"
#include "props/checkpoint/build_files.hpp"
#include "props/temporary_folder.hpp"

namespace {

using namespace lawful::props;
using lawful::model::Checkpoint;
namespace fs = std::filesystem;

// Sanitizers keep memory of their own that no bound on the process allows for.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_is_ours = false;
#else
constexpr bool memory_is_ours = true;
#endif

enum Outcome { opened = 0, refused = 1, too_much = 2, failed = 3 };

/// Memory of this process that is resident, in bytes.
std::size_t resident_bytes() {
  std::ifstream status("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  status >> size >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// What became of `call` in a process of its own, which may take `bound` bytes more than it has.
template <class Call>
int within(std::size_t bound, Call&& call) {
  const pid_t child = fork();
  if (child == 0) {
    const std::size_t before = resident_bytes();
    int outcome = opened;
    try {
      call();
    } catch (const lawful::io::BadInput&) {
      outcome = refused;
    } catch (...) {
      _exit(failed);
    }
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    _exit(static_cast<std::size_t>(used.ru_maxrss) * 1024 > before + bound ? too_much : outcome);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

/// Opens `path` and its tokenizer within 64 MB and twice the size of `file`, the pages of mapped files included.
int open_within_bounds(const fs::path& path, const fs::path& file) {
  return within(2 * fs::file_size(file) + (64U << 20U), [&] { Checkpoint::open(path).tokenizer(); });
}

std::string repeated(const std::string& unit, std::size_t count) {
  std::string all;
  all.reserve(unit.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += unit;
  return all;
}

GgufImage tiny_image() { return gguf_image(make_test_model(lawful::model::tiny::config, 1)); }

int open_gguf(const GgufImage& image) {
  const TemporaryFolder folder;
  const auto path = folder.file("m.gguf", image.bytes());
  return open_within_bounds(path, path);
}

int open_folder_with(const std::string& name, const std::string& content) {
  const TemporaryFolder folder;
  write_folder(make_test_model(lawful::model::tiny::config, 1), folder.path());
  return open_within_bounds(folder.path(), folder.file(name, content));
}

}  // namespace

TEST_CASE("a sound file opens within the bound, and the bound can be missed" * doctest::skip(!memory_is_ours)) {
  CHECK(open_gguf(tiny_image()) == opened);
  CHECK(within(64U << 20U, [] {
    std::vector<char> much(100U << 20U, 'x');
    const volatile char* last = &much.back();  // clang++ leaves out memory that nothing reads
    static_cast<void>(*last);
  }) == too_much);
}

TEST_CASE("GGUF: many keys, tensors, tokens, merges" * doctest::skip(!memory_is_ours)) {
  GgufImage keys = tiny_image();
  for (int i = 0; i < 60000; ++i) keys.entries.push_back({std::to_string(i), gguf_u8(1)});
  CHECK(open_gguf(keys) == opened);
  GgufImage tensors = tiny_image();
  for (int i = 0; i < 60000; ++i) tensors.tensors.push_back({std::to_string(i), {1}, 0, "1234", std::nullopt});
  CHECK(open_gguf(tensors) == refused);
  for (const std::size_t count : {1000000U, 3000000U}) {
    GgufImage many = tiny_image();
    many.set("tokenizer.ggml.merges", gguf_strings(std::vector<std::string>(count, "a b")));
    CHECK(open_gguf(many) == refused);
    many = tiny_image();
    many.set("tokenizer.ggml.tokens", gguf_strings(std::vector<std::string>(count)));
    many.set("tokenizer.ggml.token_type", gguf_i32s(std::vector<std::int32_t>(count, 1)));
    CHECK(open_gguf(many) == refused);
  }
}

TEST_CASE("a folder: large JSON files of small values" * doctest::skip(!memory_is_ours)) {
  const std::string numbers = fmt::format("[{}0]", repeated("0,", 10U << 20U));
  std::string keys;
  for (int i = 0; i < 1000000; ++i) keys += fmt::format(R"("{}":0,)", i);
  const std::string object = fmt::format("{{{}\"x\":0}}", keys);
  for (const auto* name : {"config.json", "generation_config.json", "tokenizer_config.json", "tokenizer.json"}) {
    CAPTURE(std::string(name));
    for (const auto& content : {numbers, object, fmt::format(R"({{"model":{}}})", object),
                                fmt::format(R"({{"model":{{"vocab":{}}}}})", object),
                                fmt::format(R"({{"model":{{"merges":{}}}}})", numbers),
                                fmt::format(R"({{"added_tokens":{}}})", numbers)}) {
      CHECK(open_folder_with(name, content) == refused);
    }
  }
  CHECK(open_folder_with("model.safetensors", raw_u64(object.size()) + object) == refused);
  const std::string below_cap = fmt::format("{}\"x\":0}}", object.substr(0, object.rfind(',', 2000000) + 1));
  CHECK(open_folder_with("config.json", below_cap) == refused);
  CHECK(open_folder_with("model.safetensors", raw_u64(below_cap.size()) + below_cap) == refused);
}
