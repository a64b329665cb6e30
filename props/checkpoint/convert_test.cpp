// Converting: every format and storage into every other; values that both hold keep their bits.
#include "model/checkpoint/convert.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "io/bad_input.hpp"
#include "model/checkpoint/inspect.hpp"
#include "props/checkpoint/build_files.hpp"
#include "props/checkpoint/read_back.hpp"
#include "props/rejection.hpp"
#include "props/temporary_folder.hpp"

namespace {

using namespace lawful::props;
using lawful::kernels::Storage;
using lawful::model::Checkpoint;
using lawful::model::convert;
namespace fs = std::filesystem;

TestModel tiny(bool tied = true) { return make_test_model(lawful::model::tiny::config, 5, tied); }

struct Sources {
  explicit Sources(const TestModel& model = tiny()) {
    GgufImage image = gguf_image(model, {Storage::q4_1, 3, 32});
    image.set("tokenizer.chat_template", gguf_string("{{ messages }}"));
    folder.file("m.gguf", image.bytes());
    write_folder(model, folder.path() / "hf", {Storage::bf16, 1, 2, false});
    std::ofstream(folder.path() / "hf" / "chat_template.jinja") << "{{ messages }}";
  }
  Checkpoint gguf() const { return Checkpoint::open(folder.path() / "m.gguf"); }
  Checkpoint hf() const { return Checkpoint::open(folder.path() / "hf"); }
  fs::path out(std::string_view name) const { return folder.path() / name; }
  TemporaryFolder folder;
};

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

void check_same(const Checkpoint& found, const Checkpoint& from) {
  CHECK(found.shape() == from.shape());
  CHECK(found.eos() == from.eos());
  CHECK(found.special().bos == from.special().bos);
  CHECK(found.chat_template() == from.chat_template());
  CHECK(found.sampling() == from.sampling());
  CHECK(found.warnings().empty());
  const std::string text = "the ant and\n the 12 hens<|im_end|> \xc3\xa9\t in rain";
  CHECK(found.tokenizer().encode(text) == from.tokenizer().encode(text));
}

}  // namespace

TEST_CASE("from each format to each, in each storage: the values that were stored") {
  for (const bool tied : {true, false}) {
    const Sources sources(tiny(tied));
    for (const bool from_gguf : {true, false}) {
      const Checkpoint from = from_gguf ? sources.gguf() : sources.hf();
      for (const auto storage : {Storage::f32, Storage::f16, Storage::bf16, Storage::q8_0}) {
        CAPTURE(lawful::kernels::block_shape(storage).name);
        const auto name = fmt::format("{}-{}", from_gguf, lawful::kernels::block_shape(storage).name);
        convert(from, sources.out(name + ".gguf"), storage);
        const Checkpoint gguf = Checkpoint::open(sources.out(name + ".gguf"));
        check_same(gguf, from);
        CHECK(gguf.find("model.layers.1.self_attn.k_proj.weight")->storage == storage);
        CHECK(gguf.find("model.layers.1.input_layernorm.weight")->storage == Storage::f32);
        // Q8_0 scales a block by its largest value: the test's values, short multiples, come back only near.
        if (storage != Storage::q8_0) CHECK(holds(gguf, tiny(tied)));
        if (storage == Storage::q8_0) continue;
        convert(from, sources.out(name), storage);
        const Checkpoint hf = Checkpoint::open(sources.out(name));
        check_same(hf, from);
        CHECK(holds(hf, tiny(tied)));
      }
    }
  }
}

TEST_CASE("there and back again is the same file") {
  const Sources sources;
  convert(sources.hf(), sources.out("a.gguf"), Storage::bf16);
  convert(Checkpoint::open(sources.out("a.gguf")), sources.out("b"), Storage::bf16);
  convert(Checkpoint::open(sources.out("b")), sources.out("c.gguf"), Storage::bf16);
  CHECK(bytes_of(sources.out("a.gguf")) == bytes_of(sources.out("c.gguf")));
}

TEST_CASE("the settings of sampling are kept, with and without sampling, and their decimal numbers") {
  const Sources sources;
  for (const auto* generation :
       {R"({"eos_token_id": [0, 2], "do_sample": true, "temperature": 0.2, "top_k": 40, "top_p": 0.9, "min_p": 0.05})",
        R"({"eos_token_id": [0, 2], "do_sample": false, "repetition_penalty": 1.1})",
        R"({"eos_token_id": [0, 2], "do_sample": true, "top_k": 0})"}) {
    CAPTURE(generation);
    write_file(sources.out("hf/generation_config.json"), generation);
    REQUIRE(sources.hf().sampling().has_value());
    const TemporaryFolder made;
    convert(sources.hf(), made.path() / "a.gguf", Storage::f32);
    check_same(Checkpoint::open(made.path() / "a.gguf"), sources.hf());
    convert(Checkpoint::open(made.path() / "a.gguf"), made.path() / "b", Storage::f32);
    check_same(Checkpoint::open(made.path() / "b"), sources.hf());
  }
}

TEST_CASE("weights that are stored so already keep their bits") {
  const TemporaryFolder folder;
  GgufImage image = gguf_image(tiny(), {Storage::q8_0, 3, 32});
  auto& tensor = image.tensor("blk.0.attn_q.weight");
  for (std::size_t i = 0; i < tensor.data.size(); i += 34) tensor.data[i + 2] = '\x80';  // -128: no quantizer makes it
  const Checkpoint from = Checkpoint::open(folder.file("m.gguf", image.bytes()));
  convert(from, folder.path() / "out.gguf", Storage::q8_0);
  const Checkpoint found = Checkpoint::open(folder.path() / "out.gguf");
  for (const auto& t : from.tensors()) {
    const auto* other = found.find(t.name);
    REQUIRE(other != nullptr);
    CHECK(other->row_order == t.row_order);
    CHECK(std::equal(t.bytes, t.bytes + t.byte_count, other->bytes, other->bytes + other->byte_count));
  }
}

TEST_CASE("a checkpoint without a tokenizer becomes a folder without one, and no GGUF") {
  const Sources sources;
  fs::remove(sources.out("hf/tokenizer.json"));
  const Checkpoint from = sources.hf();
  convert(from, sources.out("out"), Storage::f16);
  CHECK(holds(Checkpoint::open(sources.out("out")), tiny()));
  CHECK_FALSE(fs::exists(sources.out("out/tokenizer.json")));
  CHECK(contains(rejection([&] { convert(from, sources.out("out.gguf"), Storage::f16); }),
                 "expected a tokenizer.json"));
  CHECK_FALSE(fs::exists(sources.out("out.gguf")));
}

TEST_CASE("an end of generation that has no known text gets a key of its own") {
  const Sources sources;
  write_file(sources.out("hf/generation_config.json"), R"({"eos_token_id": [0, 2, 7, 9]})");
  convert(sources.hf(), sources.out("out.gguf"), Storage::bf16);
  CHECK(Checkpoint::open(sources.out("out.gguf")).eos() == std::vector<std::uint32_t>{0, 2, 7, 9});
  write_file(sources.out("hf/generation_config.json"), R"({"eos_token_id": [0, 2, 7, 9, 11]})");
  CHECK(contains(rejection([&] { convert(sources.hf(), sources.out("more.gguf"), Storage::bf16); }),
                 "end-of-generation ids: expected at most three that GGUF has keys for"));
}

TEST_CASE("a token whose text ends a generation elsewhere does not, if the original goes on after it") {
  const Sources sources;  // 0 is <|endoftext|>, 2 is <|im_end|>
  for (const auto* generation : {R"({"eos_token_id": 0})", R"({"eos_token_id": [2, 7]})", R"({"eos_token_id": []})"}) {
    CAPTURE(generation);
    write_file(sources.out("hf/generation_config.json"), generation);
    const TemporaryFolder made;
    convert(sources.hf(), made.path() / "a.gguf", Storage::bf16);
    CHECK(Checkpoint::open(made.path() / "a.gguf").eos() == sources.hf().eos());
    convert(Checkpoint::open(made.path() / "a.gguf"), made.path() / "b.gguf", Storage::bf16);
    CHECK(Checkpoint::open(made.path() / "b.gguf").eos() == sources.hf().eos());
  }
}

TEST_CASE("storages and values that do not fit are refused, and nothing is left") {
  const Sources sources;
  const auto before = entries(sources.folder.path());
  CHECK(contains(rejection([&] { convert(sources.gguf(), sources.out("o.gguf"), Storage::q4_1); }),
                 "convert: expected F32, F16, BF16 or Q8_0, found Q4_1"));
  CHECK(contains(rejection([&] { convert(sources.gguf(), sources.out("o"), Storage::q8_0); }),
                 "convert: expected F32, F16 or BF16 for a folder of safetensors, found Q8_0"));
  GgufImage image = gguf_image(tiny(), {Storage::f32, 3, 32});
  image.tensor("blk.1.ffn_up.weight").data.replace(400, 4, std::string("\x00\x00\x80\x47", 4));  // 65536
  const Checkpoint large = Checkpoint::open(sources.folder.file("m.gguf", image.bytes()));
  for (const auto* name : {"o.gguf", "o"}) {
    CHECK(contains(rejection([&] { convert(large, sources.out(name), Storage::f16); }),
                   "tensor 'model.layers.1.mlp.up_proj.weight': expected values within 65504, F16's largest, "
                   "found 65536"));
  }
  CHECK(entries(sources.folder.path()) == before);
}

TEST_CASE("a source that is written to or cut short meanwhile is an error, and nothing is left") {
  for (const auto* name : {"out.gguf", "out"}) {
    for (const bool cut : {false, true}) {
      CAPTURE(name);
      CAPTURE(cut);
      const Sources sources;
      const auto before = entries(sources.folder.path());
      const fs::path source = sources.out("m.gguf");
      const auto change = [&](std::uint64_t done, std::uint64_t all) {
        if (done < all) return;
        if (cut) fs::resize_file(source, fs::file_size(source) - 1);
        else fs::last_write_time(source, fs::last_write_time(source) + std::chrono::seconds(1));
      };
      CHECK(contains(rejection([&] { convert(sources.gguf(), sources.out(name), Storage::f32, change); }),
                     "m.gguf: expected the file to stay as it was when opened, found it rewritten meanwhile"));
      CHECK(entries(sources.folder.path()) == before);
    }
  }
  const Sources sources;  // a copy is not touched by what happens to the file
  const Checkpoint copied = Checkpoint::open(sources.out("m.gguf"), lawful::io::Access::copied);
  fs::resize_file(sources.out("m.gguf"), 1);
  convert(copied, sources.out("out.gguf"), Storage::f32);
  CHECK(holds(Checkpoint::open(sources.out("out.gguf")), tiny()));
}

TEST_CASE("a full disk, and a progress that stops the work, leave nothing and change nothing") {
  const Sources sources;
  sources.folder.file("out.gguf", "old");
  const auto before = entries(sources.folder.path());
  for (const auto* name : {"out.gguf", "out"}) {
    std::uint64_t last = 0;
    CHECK_THROWS_AS(convert(sources.gguf(), sources.out(name), Storage::f32,
                            [&](std::uint64_t done, std::uint64_t all) {
                              CHECK(done > last);
                              CHECK(done <= all);
                              last = done;
                              if (2 * done > all) throw std::runtime_error("stop");
                            }),
                    std::runtime_error);
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit unlimited{};
    getrlimit(RLIMIT_FSIZE, &unlimited);
    const rlimit limited{100000, unlimited.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limited);
    CHECK_THROWS_AS(convert(sources.gguf(), sources.out(name), Storage::f32), lawful::io::Failure);
    setrlimit(RLIMIT_FSIZE, &unlimited);
  }
  CHECK(entries(sources.folder.path()) == before);
  CHECK(bytes_of(sources.out("out.gguf")) == "old");
}

TEST_CASE("figures of a tensor: least, largest, mean, what is not finite") {
  const TemporaryFolder folder;
  GgufImage image = gguf_image(tiny(), {Storage::f32, 3, 32});
  auto& data = image.tensor("output_norm.weight").data;
  std::vector<float> values(192, 1.0F);
  values[0] = -3.0F;
  values[100] = 5.0F;
  values[101] = std::numeric_limits<float>::quiet_NaN();
  values[102] = values[103] = -std::numeric_limits<float>::infinity();
  data.assign(reinterpret_cast<const char*>(values.data()), 4 * values.size());
  const Checkpoint checkpoint = Checkpoint::open(folder.file("m.gguf", image.bytes()));
  const auto f = lawful::model::figures(*checkpoint.find("model.norm.weight"));
  CHECK(f.least == -3.0F);
  CHECK(f.largest == 5.0F);
  CHECK(f.mean == doctest::Approx(189.0 / 189.0));
  CHECK(f.nan == 1);
  CHECK(f.infinite == 2);
  const auto blocks = lawful::model::figures(*checkpoint.find("model.layers.0.self_attn.q_proj.weight"));
  CHECK(blocks.nan + blocks.infinite == 0);
  CHECK(blocks.least < 0);
  CHECK(blocks.largest > 0);
  CHECK(lawful::model::role("model.layers.0.self_attn.q_proj.weight") == "query projection");
  CHECK(lawful::model::role("model.norm.weight") == "final norm");
  CHECK(lawful::model::role("x") == "unknown");
}

TEST_CASE("a file's digest, with a progress that rises to the end and can stop the work") {
  const TemporaryFolder folder;
  const lawful::io::MappedFile file(folder.file("a", std::string(9U << 20U, 'x')));
  std::vector<std::uint64_t> seen;
  const auto digest = lawful::model::sha256_of(file, [&](std::uint64_t done, std::uint64_t all) {
    CHECK(all == 9U << 20U);
    seen.push_back(done);
  });
  CHECK(digest == "47a10d91750e6c27cef2d266a8234c21dae0144235a636c228821572d02584b7");
  CHECK(seen == std::vector<std::uint64_t>{4U << 20U, 8U << 20U, 9U << 20U});
  const auto stop = [](auto, auto) { throw std::runtime_error("stop"); };
  CHECK_THROWS_AS(lawful::model::sha256_of(file, stop), std::runtime_error);
}
