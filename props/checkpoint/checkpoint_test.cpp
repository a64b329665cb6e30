// Taking tensors: each once, with its shape; what is left over is refused.
#include "model/checkpoint/checkpoint.hpp"

#include <doctest/doctest.h>

#include "props/checkpoint/build_files.hpp"
#include "props/rejection.hpp"
#include "props/temporary_folder.hpp"

namespace {

using namespace lawful::props;
using lawful::model::Checkpoint;

struct Opened {
  TemporaryFolder folder;
  Checkpoint checkpoint = Checkpoint::open(
      folder.file("m.gguf", gguf_image(make_test_model(lawful::model::tiny::config, 1)).bytes()));
};

}  // namespace

TEST_CASE_FIXTURE(Opened, "a matrix comes as stored, a vector widened") {
  const auto matrix = checkpoint.take_matrix("model.layers.1.mlp.down_proj.weight", 192, 160);
  CHECK(matrix.rows == 192);
  CHECK(matrix.cols == 160);
  CHECK(matrix.storage == lawful::kernels::Storage::q8_0);
  CHECK(matrix.bytes == checkpoint.find("model.layers.1.mlp.down_proj.weight")->bytes);
  const auto vector = checkpoint.take_vector("model.norm.weight", 192);
  CHECK(vector == make_test_model(lawful::model::tiny::config, 1).tensors.back().values());
}

TEST_CASE_FIXTURE(Opened, "a tensor that is missing, of another shape or taken twice is refused by name") {
  const auto matrix = [&](std::string_view name, std::uint64_t rows, std::uint64_t cols) {
    return rejection([&] { checkpoint.take_matrix(name, rows, cols); });
  };
  const std::string up = "model.layers.0.mlp.up_proj.weight";
  CHECK(contains(matrix(up, 192, 160), "tensor '" + up + "': expected shape [192, 160], found [160, 192]"));
  CHECK(contains(matrix("model.layers.2.mlp.up_proj.weight", 160, 192), "found no such tensor"));
  CHECK(contains(matrix("model.norm.weight", 1, 192), "expected shape [1, 192], found [192]"));
  CHECK(matrix(up, 160, 192) == "");
  CHECK(contains(matrix(up, 160, 192), "expected one use, found a second"));
  CHECK(contains(rejection([&] { checkpoint.take_vector(up, 160 * 192); }),
                 "expected shape [30720], found [160, 192]"));
}

TEST_CASE_FIXTURE(Opened, "what nobody took is refused by name") {
  const auto tensors = checkpoint.tensors();
  for (const auto& t : tensors) {
    CHECK(contains(rejection([&] { checkpoint.refuse_leftovers(); }), "found tensor '" + t.name + "'"));
    if (t.shape.size() == 2) checkpoint.take_matrix(t.name, t.shape[0], t.shape[1]);
    else checkpoint.take_vector(t.name, t.shape[0]);
  }
  CHECK(rejection([&] { checkpoint.refuse_leftovers(); }) == "");
}

TEST_CASE("a vector in blocks is refused") {
  const TemporaryFolder folder;
  const TestModel model = make_test_model(lawful::model::tiny::config, 1);
  GgufImage image = gguf_image(model);
  auto& norm = image.tensor("output_norm.weight");
  norm.type = 8;
  norm.data = model.tensors.back().encoded(lawful::kernels::Storage::q8_0);
  Checkpoint checkpoint = Checkpoint::open(folder.file("m.gguf", image.bytes()));
  CHECK(contains(rejection([&] { checkpoint.take_vector("model.norm.weight", 192); }),
                 "expected F32, F16 or BF16, found Q8_0"));
}

TEST_CASE("what is no checkpoint is refused") {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& content) {
    return rejection([&] { Checkpoint::open(folder.file("file", content)); });
  };
  const std::string expected = "expected a GGUF file, a safetensors file or a folder with config.json";
  for (const auto* content : {"G", "GGU", "GGML....", "PK\x03\x04 a torch checkpoint", "# some text, with {braces}"}) {
    CHECK(contains(refused(content), expected));
  }
  CHECK(contains(refused("GGUF"), "version at byte 4: expected 4 bytes, found 0"));
  CHECK(contains(rejection([&] { Checkpoint::open(folder.path()); }), "config.json: expected a readable file"));
}
