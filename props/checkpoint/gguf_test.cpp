// The GGUF container: files that lie about their counts, sizes, types and offsets (shared/cases B30 to B36).
#include "model/checkpoint/gguf.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "props/checkpoint/gguf_image.hpp"
#include "props/property.hpp"
#include "props/rejection.hpp"

namespace {

using namespace lawful::props;
using lawful::model::GgufFile;

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

GgufFile parsed(const std::string& bytes) { return {std::as_bytes(std::span(bytes)), "file"}; }

std::string refused(const std::string& bytes) {
  return rejection([&] { parsed(bytes); });
}
std::string refused(const GgufImage& image) { return refused(image.bytes()); }

/// Two keys and two tensors of F32: [2, 3] and [4].
GgufImage small() {
  GgufImage image;
  image.set("a", gguf_u32(7));
  image.set("words", gguf_strings({"one", "", "three"}));
  image.tensors.push_back({"x", {2, 3}, 0, std::string(24, 'x'), std::nullopt});
  image.tensors.push_back({"y", {4}, 0, std::string(16, 'y'), std::nullopt});
  return image;
}

std::string refused_with_dims(std::vector<std::uint64_t> dims, std::uint32_t type = 0) {
  GgufImage image = small();
  image.tensors[0].dims = std::move(dims);
  image.tensors[0].type = type;
  return refused(image);
}

std::string refused_with_offset(std::size_t tensor, std::uint64_t offset) {
  GgufImage image = small();
  image.tensors[tensor].offset = offset;
  return refused(image);
}

std::string refused_with_value(const std::string& value) {
  GgufImage image = small();
  image.set("v", value);
  return refused(image);
}

/// The value of an array of `type` that claims `count` elements.
std::string array(std::uint32_t type, std::uint64_t count, const std::string& elements = "") {
  return raw_u32(9) + raw_u32(type) + raw_u64(count) + elements;
}

}  // namespace

TEST_CASE("a sound file is read: values, tensors, the first one at offset 0") {
  const std::string bytes = small().bytes();
  const GgufFile file = parsed(bytes);
  CHECK(file.unsigned_integer("a") == 7);
  CHECK(file.strings("words") == std::vector<std::string_view>{"one", "", "three"});
  CHECK_FALSE(file.unsigned_integer("b").has_value());
  REQUIRE(file.tensors().size() == 2);
  CHECK(file.tensors()[0].name == "x");
  CHECK(file.tensors()[0].dims == std::vector<std::uint64_t>{2, 3});
  CHECK(file.tensors()[0].byte_count == 24);
  CHECK(static_cast<char>(file.tensors()[0].bytes[23]) == 'x');
  CHECK(static_cast<char>(file.tensors()[1].bytes[15]) == 'y');
}

TEST_CASE("every type of value is read as itself, and refused as another") {
  GgufImage image = small();
  image.set("u8", gguf_u8(200));
  image.set("u64", gguf_u64(most));
  image.set("f32", gguf_f32(1.5F));
  image.set("f64", gguf_f64(-0.1));
  image.set("yes", gguf_bool(true));
  image.set("text", gguf_string("té\nxt"));
  image.set("numbers", gguf_i32s({1, -2}));
  image.set("none", gguf_strings({}));
  const std::string bytes = image.bytes();
  const GgufFile file = parsed(bytes);
  CHECK(file.unsigned_integer("u8") == 200);
  CHECK(file.unsigned_integer("u64") == most);
  CHECK(file.real("f32") == 1.5);
  CHECK(file.real("f64") == -0.1);
  CHECK(file.boolean("yes") == true);
  CHECK(file.string("text") == "té\nxt");
  CHECK(file.integers("numbers") == std::vector<std::int32_t>{1, -2});
  CHECK(file.strings("none")->empty());
  CHECK(contains(rejection([&] { file.string("u8"); }), "file: u8: expected a STRING, found UINT8"));
  CHECK(contains(rejection([&] { file.boolean("u8"); }), "u8: expected a BOOL, found UINT8"));
  CHECK(contains(rejection([&] { file.real("u8"); }), "u8: expected a FLOAT32 or FLOAT64, found UINT8"));
  CHECK(contains(rejection([&] { file.unsigned_integer("yes"); }), "expected an unsigned integer, found BOOL"));
  CHECK(contains(rejection([&] { file.strings("numbers"); }), "expected an array of STRING, found an array of INT32"));
  CHECK(contains(rejection([&] { file.integers("words"); }), "expected an array of INT32, found an array of STRING"));
  CHECK(contains(rejection([&] { file.strings("text"); }), "expected an array of STRING, found STRING"));
}

TEST_CASE("magic and version") {
  GgufImage image = small();
  image.magic = "GGUX";
  CHECK(contains(refused(image), "file: expected a file that begins with 'GGUF', found another"));
  image.magic = "GGUF";
  for (const std::uint32_t version : {0U, 1U, 4U, 4294967295U}) {
    image.version = version;
    CHECK(contains(refused(image), "version: expected 2 or 3, little endian, found " + std::to_string(version)));
  }
  image.version = 0x03000000;
  CHECK(contains(refused(image), "found a big-endian file"));
}

TEST_CASE("counts are bounded by the bytes that remain") {
  for (const std::uint64_t count : {std::uint64_t{1} << 58U, std::uint64_t{1} << 63U, most, most / 33, most / 14 + 1}) {
    GgufImage image = small();
    image.tensor_count = count;
    CHECK(contains(refused(image), "file: tensor count: expected at most "));
    image = small();
    image.entry_count = count;
    CHECK(contains(refused(image), "file: key count: expected at most "));
    for (const std::uint32_t type : {0U, 2U, 4U, 5U, 6U, 7U, 8U, 10U, 12U}) {
      CHECK(contains(refused_with_value(array(type, count)), "file: key 'v': expected at most "));
    }
    CHECK(contains(refused_with_value(raw_u32(8) + raw_u64(count)), "key 'v' at byte"));
  }
  CHECK(contains(refused_with_value(raw_u32(8) + raw_u64(0xFFFFFFFFFFFF)), "expected 281474976710655 bytes"));
  GgufImage image = small();
  image.tensor_count = 3;  // one more than there are
  CHECK(refused(image) != "");
  image.tensor_count = 1;  // one less: the rest is taken for data
  CHECK(refused(image) != "");
  image = small();
  image.entry_count = 1;
  CHECK(refused(image) != "");
}

TEST_CASE("lists that would cost many times the file's size in memory are refused") {
  GgufImage image;
  image.entries.resize((1U << 16U) + 1, {"k", gguf_u8(1)});
  CHECK(contains(refused(image), "file: key count: expected at most 65536, found 65537"));
  image = small();
  image.tensors.resize((1U << 16U) + 1, {"t", {1}, 0, "", std::uint64_t{0}});
  CHECK(contains(refused(image), "file: tensor count: expected at most 65536, found 65537"));
  image = small();
  image.set("many", gguf_strings(std::vector<std::string>((1U << 20U) + 1)));
  const std::string bytes = image.bytes();
  const GgufFile file = parsed(bytes);
  CHECK(contains(rejection([&] { file.strings("many"); }),
                 "file: many: expected at most 1048576 strings, found 1048577"));
}

TEST_CASE("unknown types of values and arrays of arrays are refused") {
  for (const std::uint32_t type : {13U, 255U, 4294967295U}) {
    CHECK(contains(refused_with_value(raw_u32(type)), "key 'v': expected a value type below 13, found "));
    CHECK(contains(refused_with_value(array(type, 1)), "key 'v': expected a value type below 13"));
  }
  std::string deep;
  for (int level = 0; level < 5000; ++level) deep += array(9, 1).substr(level == 0 ? 0 : 4);
  CHECK(contains(refused_with_value(deep), "key 'v': expected an array of plain values, found an array of arrays"));
  CHECK(contains(refused_with_value(raw_u32(7) + "\x02"), "key 'v': expected a boolean of 0 or 1, found 2"));
  CHECK(contains(refused_with_value(array(7, 3, std::string("\x01\x00\x80", 3))), "a boolean of 0 or 1, found 128"));
}

TEST_CASE("empty names, long names and duplicates are refused") {
  GgufImage image = small();
  image.entries[0].key = "";
  CHECK(contains(refused(image), "file: key 0: expected 1 to 65535 bytes, found 0"));
  image.entries[0].key = std::string(65536, 'k');
  CHECK(contains(refused(image), "file: key 0: expected 1 to 65535 bytes, found 65536"));
  image = small();
  image.entries.push_back(image.entries[0]);
  CHECK(contains(refused(image), "file: key 'a': expected one value, found it again"));
  image = small();
  image.tensors[1].name = "x";
  CHECK(contains(refused(image), "file: tensor 'x': expected one of that name, found two"));
  image.tensors[1].name = "";
  CHECK(contains(refused(image), "file: name of tensor 1: expected 1 to 65535 bytes, found 0"));
  image.tensors[1].name = "two\nlines\x1b[31m\xff";
  image.tensors[1].type = 999;
  CHECK(contains(refused(image), "tensor 'two\\x0alines\\x1b[31m\\xff': expected a tensor type among"));
}

TEST_CASE("dimensions: their number, zeros, and products that would wrap") {
  const auto count_of = [](std::size_t n) { return std::vector<std::uint64_t>(n, 1); };
  CHECK(contains(refused_with_dims(count_of(0)), "tensor 'x': expected 1 to 4 dimensions, found 0"));
  CHECK(contains(refused_with_dims(count_of(5)), "tensor 'x': expected 1 to 4 dimensions, found 5"));
  const std::uint64_t two32 = std::uint64_t{1} << 32U, two63 = std::uint64_t{1} << 63U;
  const std::vector<std::vector<std::uint64_t>> wrapping{
      {two32, two32}, {two63 - 1, 2}, {(std::uint64_t{1} << 42U) + 1, 1}, {65536, 65536}, {two63, 4},
      {most, 1}, {most}, {two32, two32, two32, two32}, {4, two63}, {2, 3, two63, 2}, {0}, {0, 3}, {3, 0}, {2, 0, 2}};
  for (const auto& dims : wrapping) {
    CHECK(contains(refused_with_dims(dims), "tensor 'x': expected 1 to"));
  }
  GgufImage image = small();
  std::string bytes = image.bytes();
  const auto at = bytes.find("x", bytes.find("three")) + 1;
  bytes.replace(at, 4, raw_u32(4294967295U));
  CHECK(contains(refused(bytes), "expected 1 to 4 dimensions, found 4294967295"));
}

TEST_CASE("tensor types: unknown ones, and rows that are not whole blocks") {
  for (const std::uint32_t type : {4U, 5U, 9U, 10U, 11U, 13U, 15U, 29U, 31U, 999U, 4294967295U}) {
    CHECK(contains(refused_with_dims({2, 3}, type),
                   "tensor 'x': expected a tensor type among 0 (F32), 1 (F16), 2 (Q4_0)"));
  }
  CHECK(contains(refused_with_dims({33, 3}, 3),
                 "tensor 'x': expected rows of whole Q4_1 blocks of 32, found rows of 33"));
  CHECK(contains(refused_with_dims({32, 3}, 12), "expected rows of whole Q4_K blocks of 256, found rows of 32"));
}

TEST_CASE("offsets: beyond the file, wrapping, overlapping, with gaps, not aligned") {
  for (const std::uint64_t offset : {std::uint64_t{1} << 40U, most, most - 15, most - 31, std::uint64_t{1} << 63U}) {
    CHECK(contains(refused_with_offset(1, offset), "tensor 'y': expected to begin at 32"));
    CHECK(contains(refused_with_offset(0, offset), "tensor 'y': expected to begin at 0, where the one before ends"));
  }
  CHECK(contains(refused_with_offset(1, 0), "expected to begin at 32, where the one before ends, found offset 0"));
  CHECK(contains(refused_with_offset(1, 16), "expected to begin at 32, where the one before ends, found offset 16"));
  CHECK(contains(refused_with_offset(1, 64), "expected to begin at 32, where the one before ends, found offset 64"));
  CHECK(contains(refused_with_offset(1, 33), "expected to begin at 32, where the one before ends, found offset 33"));
}

TEST_CASE("tensors may be listed in another order than they lie in") {
  GgufImage image = small();
  std::swap(image.tensors[0], image.tensors[1]);
  image.tensors[0].offset = 32;  // y, listed first
  image.tensors[1].offset = 0;   // x
  std::swap(image.tensors[0].data, image.tensors[1].data);
  const std::string bytes = image.bytes();
  const GgufFile file = parsed(bytes);
  CHECK(static_cast<char>(file.tensors()[0].bytes[0]) == 'y');
  CHECK(static_cast<char>(file.tensors()[1].bytes[0]) == 'x');
}

TEST_CASE("alignment: a power of two with a cap, as an unsigned number") {
  for (const std::uint32_t alignment : {0U, 3U, 24U, 1U << 21U, 1U << 31U, 4294967295U}) {
    GgufImage image = small();
    image.set("general.alignment", gguf_u32(alignment));
    CHECK(contains(refused(image), "general.alignment: expected a power of two up to 1048576, found "));
  }
  GgufImage image = small();
  image.set("general.alignment", gguf_i32(32));
  CHECK(contains(refused(image), "general.alignment: expected an unsigned integer, found INT32"));
  image.set("general.alignment", gguf_u64(std::uint64_t{1} << 63U));
  CHECK(contains(refused(image), "general.alignment: expected a power of two"));
  image.set("general.alignment", gguf_u32(64));  // the tensors lie as for 32
  CHECK(refused(image) != "");
}

TEST_CASE("bytes after the last tensor are refused") {
  CHECK(contains(refused(small().bytes() + "x"), "file: expected the file to end at byte"));
  CHECK(contains(refused(small().bytes() + std::string(4096, '\0')), "file: expected the file to end at byte"));
}

TEST_CASE("a file cut anywhere before the end of its last tensor is refused") {
  const std::string bytes = small().bytes();
  const std::size_t end = bytes.size() - 16;  // 16 bytes of padding
  for (std::size_t size = 0; size < end; ++size) CHECK(refused(bytes.substr(0, size)) != "");
  CHECK(refused(bytes.substr(0, end)) == "");
}

TEST_CASE("any single changed byte gives a file that is refused or whose tensors lie inside it") {
  const std::string original = small().bytes();
  for (std::size_t at = 0; at < original.size(); ++at) {
    for (const int change : {0x01, 0x80, 0xFF}) {
      std::string bytes = original;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      rejection([&] {
        const GgufFile file = parsed(bytes);
        for (const auto& tensor : file.tensors()) {
          const auto begin = tensor.bytes - std::as_bytes(std::span(bytes)).data();
          REQUIRE(begin >= 0);
          REQUIRE(static_cast<std::uint64_t>(begin) + tensor.byte_count <= bytes.size());
        }
      });
    }
  }
}

TEST_CASE("random values come back, whatever their order in the file") {
  property("strings and numbers under random keys", [](const std::map<std::string, std::vector<std::string>>& values) {
    GgufImage image = small();
    for (const auto& [key, strings] : values) image.set("k" + key, gguf_strings(strings));
    const std::string bytes = image.bytes();
    const GgufFile file = parsed(bytes);
    for (const auto& [key, strings] : values) {
      const auto found = file.strings("k" + key);
      RC_ASSERT(found.has_value());
      RC_ASSERT(std::equal(found->begin(), found->end(), strings.begin(), strings.end()));
    }
  });
}
