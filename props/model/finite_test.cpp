// NaN and infinity, in weights or by overflow, are an error that names layer and tensor, wherever they are.
#include "io/bad_input.hpp"
#include "model/generate.hpp"
#include "props/kernels/settings.hpp"
#include "props/model/tiny.hpp"

#include <bit>
#include <cstring>
#include <limits>

namespace {

using namespace lawful::props;
namespace model = lawful::model;

constexpr float infinity = std::numeric_limits<float>::infinity();

/// The tiny model as F32 in a GGUF file, with value `at` of the file's tensor `name` replaced.
Tiny spoiled(const std::string& name, std::size_t at, float value) {
  GgufOptions options;
  options.matrices = lawful::kernels::Storage::f32;
  GgufImage image = gguf_image(tiny_weights(), options);
  std::memcpy(image.tensor(name).data.data() + at * sizeof value, &value, sizeof value);
  Tiny out;
  out.folder = std::make_unique<TemporaryFolder>();
  const auto path = out.folder->file("spoiled.gguf", image.bytes());
  out.checkpoint = std::make_unique<model::Checkpoint>(model::Checkpoint::open(path));
  out.model = model::Model::load(*out.checkpoint);
  return out;
}

/// The message of the io::Failure that appending `ids` in pieces of `cut` ends in; "" if it is none.
std::string failure(const Tiny& tiny, const Ids& ids, std::size_t cut) {
  auto sequence = tiny.sequence();
  try {
    model::prefill(*sequence, ids, cut, [](std::size_t) {});
  } catch (const lawful::io::Failure& error) {
    CHECK(sequence->length() % cut == 0);  // as before the piece that failed
    return error.what();
  }
  return "";
}

struct Fault {
  const char* file_name;  ///< the tensor in the GGUF file
  std::size_t cols;
  const char* place;      ///< where the values first are not finite
  const char* tensor;
};

// Row 5, column 7 of a matrix; Q and K lie in interleaved pairs, so row 5 there is value 2 of the second half: 16 + 2.
constexpr Fault faults[] = {
    {"blk.0.attn_norm.weight", 0, "layer 0, n1 at position 0", "model.layers.0.input_layernorm.weight[7]"},
    {"blk.1.attn_q.weight", 192, "layer 1, q at position 0", "model.layers.1.self_attn.q_proj.weight[18, 7]"},
    {"blk.1.attn_k.weight", 192, "layer 1, k at position 0", "model.layers.1.self_attn.k_proj.weight[18, 7]"},
    {"blk.0.attn_v.weight", 192, "layer 0, v at position 0", "model.layers.0.self_attn.v_proj.weight[5, 7]"},
    {"blk.0.attn_output.weight", 192, "layer 0, a at position 0", "model.layers.0.self_attn.o_proj.weight[5, 7]"},
    {"blk.1.ffn_norm.weight", 0, "layer 1, n2 at position 0", "model.layers.1.post_attention_layernorm.weight[7]"},
    {"blk.1.ffn_gate.weight", 192, "layer 1, m at position 0", "model.layers.1.mlp.gate_proj.weight[5, 7]"},
    {"blk.0.ffn_up.weight", 192, "layer 0, m at position 0", "model.layers.0.mlp.up_proj.weight[5, 7]"},
    {"blk.1.ffn_down.weight", 160, "layer 1, y at position 0", "model.layers.1.mlp.down_proj.weight[5, 7]"},
    {"output_norm.weight", 0, "logits, the layers being finite", "model.norm.weight[7]"},
};

}  // namespace

TEST_CASE("a weight that is no finite number is named, with the layer and the value where it was first seen") {
  const Ids ids = random_ids(7, 61);
  for (const Fault& fault : faults)
    for (const float value : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
      const Tiny tiny = spoiled(fault.file_name, fault.cols == 0 ? 7 : 5 * fault.cols + 7, value);
      for (const std::size_t cut : {1, 3, 64}) {
        const std::string message = failure(tiny, ids, cut);
        INFO(message);
        CHECK(message.find(fault.place) != std::string::npos);
        CHECK(message.find(fault.tensor) != std::string::npos);
      }
    }
}

TEST_CASE("a bad row of the embedding is found when its id is read, and otherwise among the logits") {
  const Tiny tiny = spoiled("token_embd.weight", 77 * 192 + 5, std::numeric_limits<float>::quiet_NaN());
  const std::string read = failure(tiny, {3, 77, 4}, 64), logits = failure(tiny, {3, 4}, 64);
  INFO(read, "\n", logits);
  CHECK(read.find("layer 0, n1 at position 1: ") != std::string::npos);
  CHECK(read.find("model.embed_tokens.weight[77, 5]") != std::string::npos);
  CHECK(logits.find("logits, the layers being finite") != std::string::npos);
  CHECK(logits.find("model.embed_tokens.weight[77, 5]") != std::string::npos);
}

TEST_CASE("finite weights that overflow F32 are said to, on every setting alike") {
  const Tiny tiny = spoiled("blk.1.ffn_up.weight", 3, 3e38F);
  on_every_setting([&] {
    const std::string message = failure(tiny, random_ids(40, 62), 64);
    INFO(message);
    CHECK(message.find("layer 1, m at position ") != std::string::npos);
    CHECK(message.find("all weights are finite, so F32 overflowed") != std::string::npos);
  });
}

TEST_CASE("a bad piece in the middle of a prompt is reported there, though none of its logits are wanted") {
  const Tiny tiny = spoiled("token_embd.weight", 77 * 192 + 5, infinity);
  Ids ids(20, 3);
  ids[9] = 77;
  const std::string message = failure(tiny, ids, 4);
  INFO(message);
  CHECK(message.find("layer 0, n1 at position 9: ") != std::string::npos);
}
