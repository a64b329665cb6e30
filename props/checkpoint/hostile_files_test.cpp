// Whole checkpoints, cut at every byte and with every byte changed: refused in one line, or sound. Run under
// sanitizers in the large suite.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>

#include "model/checkpoint/checkpoint.hpp"
#include "props/checkpoint/build_files.hpp"
#include "props/rejection.hpp"
#include "props/temporary_folder.hpp"

namespace {

using namespace lawful::props;
using lawful::kernels::Storage;
using lawful::model::Checkpoint;
namespace fs = std::filesystem;

/// The least Llama that the test vocabulary allows: every byte of its files can be tried.
constexpr lawful::model::Config least{"least", 1, 2, 8, 32, 1, 256, 64, 10000.0, 1e-5};

/// Its like for blocks of 256 values.
constexpr lawful::model::Config wide{"wide", 1, 2, 64, 256, 1, 256, 64, 10000.0, 1e-5};

/// Whether every tensor lies inside one of the checkpoint's files.
bool tensors_are_inside(const Checkpoint& checkpoint) {
  return std::all_of(checkpoint.tensors().begin(), checkpoint.tensors().end(), [&](const auto& tensor) {
    return std::any_of(checkpoint.files().begin(), checkpoint.files().end(), [&](const auto& file) {
      const auto bytes = file.bytes();
      return tensor.bytes >= bytes.data() && tensor.byte_count <= bytes.size() &&
             tensor.bytes <= bytes.data() + (bytes.size() - tensor.byte_count);
    });
  });
}

struct Tally {
  std::size_t refused = 0, sound = 0;
  std::chrono::duration<double> slowest{0};

  /// Opens and reads the tokenizer; anything but a one-line BadInput or a sound checkpoint fails the test.
  void open(const fs::path& path) {
    const auto begin = std::chrono::steady_clock::now();
    bool inside = false;
    const std::string message = rejection([&] {
      const Checkpoint checkpoint = Checkpoint::open(path);
      inside = tensors_are_inside(checkpoint);
      checkpoint.tokenizer();
    });
    slowest = std::max(slowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin));
    if (message.empty()) {
      REQUIRE(inside);
      ++sound;
    } else {
      REQUIRE(contains(message, ": expected "));
      REQUIRE_FALSE(contains(message, "several lines"));
      ++refused;
    }
  }
};

class OpenFile {
 public:
  explicit OpenFile(const fs::path& path) : descriptor_(open(path.c_str(), O_RDWR)), size_(fs::file_size(path)) {
    REQUIRE(descriptor_ >= 0);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { close(descriptor_); }
  std::size_t size() const { return size_; }
  void cut(std::size_t size) const { REQUIRE(ftruncate(descriptor_, static_cast<off_t>(size)) == 0); }
  unsigned char at(std::size_t offset) const {
    unsigned char byte = 0;
    REQUIRE(pread(descriptor_, &byte, 1, static_cast<off_t>(offset)) == 1);
    return byte;
  }
  void set(std::size_t offset, unsigned char byte) const {
    REQUIRE(pwrite(descriptor_, &byte, 1, static_cast<off_t>(offset)) == 1);
  }

 private:
  int descriptor_;
  std::size_t size_;
};

/// Changes each byte of `file` from `begin` to `end`, one at a time, in four ways, and opens `path`.
Tally change_every_byte(const fs::path& file, std::size_t begin, std::size_t end, const fs::path& path) {
  Tally tally;
  const OpenFile bytes(file);
  for (std::size_t at = begin; at < std::min(end, bytes.size()); ++at) {
    const unsigned char original = bytes.at(at);
    for (const int changed : {original ^ 0x01, original ^ 0x80, original ^ 0xFF, static_cast<int>('"')}) {
      bytes.set(at, static_cast<unsigned char>(changed));
      tally.open(path);
    }
    bytes.set(at, original);
  }
  return tally;
}

/// Cuts `file` down to `least_size`, byte by byte; of a large one some sizes only, and the last hundred.
Tally cut_between(const fs::path& file, std::size_t least_size, const fs::path& path) {
  Tally tally;
  const OpenFile bytes(file);
  constexpr std::size_t large = 30'000;
  const std::size_t stride = bytes.size() > large ? bytes.size() / large * 32 + 1 : 1;  // odd: every place in a block
  for (std::size_t size = bytes.size(); size-- > least_size;) {
    if (size + 100 < bytes.size() && size % stride != 0) continue;
    bytes.cut(size);
    tally.open(path);
  }
  return tally;
}

void check(const Tally& tally) {
  MESSAGE(tally.refused, " refused, ", tally.sound, " sound, slowest ", 1000 * tally.slowest.count(), " ms");
  CHECK(tally.refused > 0);
  CHECK(tally.slowest.count() < 1.0);
}

/// Where the tensor data of a GGUF or safetensors file of the least model begins.
std::size_t header_bytes(const fs::path& file, std::size_t data) { return fs::file_size(file) - data; }

}  // namespace

TEST_CASE("a GGUF file of each storage, tied and not, cut at every byte and with every byte of its header changed") {
  for (const auto storage : {Storage::f32, Storage::f16, Storage::bf16, Storage::q8_0, Storage::q4_0, Storage::q4_1,
                             Storage::q5_0, Storage::q5_1, Storage::q4_k, Storage::q6_k}) {
    for (const bool tied : {true, false}) {
      const auto name = lawful::kernels::block_shape(storage).name;
      CAPTURE(name);
      CAPTURE(tied);
      const TemporaryFolder folder;
      const bool small = fits(storage, least.dim());
      const auto image = gguf_image(make_test_model(small ? least : wide, 3, tied), {storage, 3, 32});
      std::size_t data = 0;
      for (const auto& tensor : image.tensors) data += tensor.data.size();
      const auto path = folder.file("m.gguf", image.bytes());
      const std::size_t header = header_bytes(path, data);
      // The header is much the same each time: all of it once, of the others the end, which lists the tensors.
      const std::size_t from = storage == Storage::q4_0 && tied ? 0 : header - 60 * image.tensors.size();
      check(change_every_byte(path, from, header, path));
      const Tally cut = cut_between(path, from, path);
      check(cut);
      CHECK(cut.sound == 0);
    }
  }
}

TEST_CASE("a folder, tied and not, each file cut at every byte and with every byte changed") {
  for (const bool tied : {true, false}) {
    const TestModel model = make_test_model(least, 3, tied);
    for (const std::string name : {"config.json", "generation_config.json", "tokenizer_config.json", "tokenizer.json",
                                   "model.safetensors", "model.safetensors.index.json",
                                   "model-00002-of-00002.safetensors"}) {
      if (!tied && name.find("token") != name.npos) continue;  // the same as of a tied one
      CAPTURE(name);
      CAPTURE(tied);
      const TemporaryFolder folder;
      const bool sharded = name.starts_with("model") && name != "model.safetensors";
      write_folder(model, folder.path(), {Storage::bf16, 1, sharded ? 2U : 1U, false});
      folder.file("tokenizer_config.json", R"({"add_bos_token": false, "chat_template": "{{ messages }}"})");
      const auto file = folder.path() / name;
      std::ifstream stream(file, std::ios::binary);
      const std::string content{std::istreambuf_iterator<char>(stream), {}};
      const std::size_t header = name.ends_with(".safetensors") ? content.rfind("}}") + 3 : content.size();
      check(change_every_byte(file, 0, header, folder.path()));
      const Tally cut = cut_between(file, 0, folder.path());
      check(cut);
      CHECK(cut.sound == 0);
    }
  }
}
