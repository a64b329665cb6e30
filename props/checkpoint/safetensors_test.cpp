// The safetensors container: headers that lie (shared/cases B30, B34, B35, B37, B42).
#include "model/checkpoint/safetensors.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "props/checkpoint/gguf_image.hpp"
#include "props/rejection.hpp"

namespace {

using namespace lawful::props;
using lawful::model::StoredTensor;

std::string file_of(const std::string& header, const std::string& data) {
  return raw_u64(header.size()) + header + data;
}

std::vector<StoredTensor> parsed(const std::string& bytes) {
  return lawful::model::read_safetensors(std::as_bytes(std::span(bytes)), "file");
}

std::string refused(const std::string& bytes) {
  return rejection([&] { parsed(bytes); });
}

/// A tensor "x" of 12 bytes of data, with the given members.
std::string refused_x(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return refused(file_of(R"({"x":{"dtype":)" + dtype + R"(,"shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}",
                         "0123456789ab"));
}

std::string entry(const std::string& name, int begin, int end) {
  return fmt::format(R"("{}":{{"dtype":"F16","shape":[{}],"data_offsets":[{},{}]}})", name, (end - begin) / 2, begin,
                     end);
}

}  // namespace

TEST_CASE("a sound file is read, at any length of its header") {
  for (std::size_t spaces = 0; spaces < 9; ++spaces) {
    const std::string header = R"({"__metadata__":{"format":"pt"},)" + entry("b", 4, 10) + "," + entry("a", 0, 4) + "}";
    const std::string bytes = file_of(header + std::string(spaces, ' '), "aaaabbbbbb");
    const auto tensors = parsed(bytes);
    REQUIRE(tensors.size() == 2);
    CHECK(tensors[0].name == "a");
    CHECK(tensors[0].storage == lawful::kernels::Storage::f16);
    CHECK(tensors[1].shape == std::vector<std::uint64_t>{3});
    CHECK(static_cast<char>(tensors[1].bytes[5]) == 'b');
    CHECK(tensors[1].bytes + 6 == std::as_bytes(std::span(bytes)).data() + bytes.size());
  }
}

TEST_CASE("no tensors and scalars are sound") {
  CHECK(parsed(file_of("{}", "")).empty());
  CHECK(parsed(file_of(R"({"s":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", "1234"))[0].shape.empty());
}

TEST_CASE("header lengths that the file cannot hold are refused") {
  const std::string file = file_of("{}", "0123456789ab");
  const auto with_length = [&](std::uint64_t n) { return refused(raw_u64(n) + file.substr(8)); };
  for (const std::uint64_t n : {std::uint64_t{0}, ~std::uint64_t{0}, ~std::uint64_t{0} - 7, std::uint64_t{1} << 63U,
                                std::uint64_t{22}, std::uint64_t{15}}) {
    CHECK(contains(with_length(n), "file: header length: expected 1 to 14, the bytes that follow, found "));
  }
  CHECK(contains(with_length(14), "file: header: expected JSON, found an error"));
  CHECK(contains(with_length(1), "file: header: expected JSON, found an error"));
  for (std::size_t size = 0; size < 8; ++size) {
    CHECK(contains(refused(file.substr(0, size)), "expected a header length of 8 bytes"));
  }
  CHECK(contains(refused(file_of(" {}", "")), "expected a header that begins with '{'"));
  CHECK(contains(refused(file_of("[]", "")), "expected a header that begins with '{'"));
}

TEST_CASE("headers above the cap, and nested ones, are refused before they cost memory or stack") {
  const std::string spaces = fmt::format("{{{}}}", std::string(3U << 20U, ' '));
  CHECK(contains(refused(file_of(spaces, "")), "expected at most 2097152 bytes of JSON"));
  std::string deep = "{\"x\":";
  deep += std::string(100000, '[');
  CHECK(contains(refused(file_of(deep, "")), "expected at most 64 levels of nesting"));
}

TEST_CASE("types, shapes and offsets of a wrong kind are refused") {
  CHECK(refused_x(R"("F32")", "[3]", "[0,12]") == "");
  for (const auto* dtype : {R"("F8_E4M3")", R"("")", R"("f32")", R"("I64")", R"("F64")", R"("BOOL")"}) {
    CHECK(contains(refused_x(dtype, "[3]", "[0,12]"), "tensor 'x': dtype: expected F32, F16 or BF16, found '"));
  }
  CHECK(contains(refused_x("3", "[3]", "[0,12]"), "dtype: expected F32, F16 or BF16, found number"));
  for (const auto* shape : {"3", "[3.0]", "[-3]", R"(["3"])", "[null]", "[[3]]", "{}", "[18446744073709551616]"}) {
    CHECK(contains(refused_x(R"("F32")", shape, "[0,12]"), "tensor 'x': shape: expected"));
  }
  for (const auto* offsets : {"12", "[0]", "[0,12,12]", "[]", "[0.0,12]", "[-1,12]", "[12,0]", "[0,13]", "[13,13]",
                              "[0,18446744073709551615]", "[18446744073709551615,18446744073709551615]"}) {
    CHECK(contains(refused_x(R"("F32")", "[3]", offsets), "tensor 'x': data_offsets: expected"));
  }
}

TEST_CASE("a span that is not what type and shape take, or whose product wraps, is refused") {
  for (const auto* shape : {"[2]", "[4]", "[]", "[0]", "[3,0]", "[4294967296,4294967296]", "[9223372036854775807,2]",
                            "[4611686018427387904]", "[4611686018427387907]", "[65536,65536,65536,65536]"}) {
    CHECK(contains(refused_x(R"("F32")", shape, "[0,12]"), "tensor 'x': expected as many bytes as F32 ["));
  }
  CHECK(contains(refused_x(R"("F32")", "[0]", "[0,0]"), "at least one value, found 0"));
}

TEST_CASE("duplicates, gaps, overlaps and a rest are refused") {
  const auto header = [](const std::string& a, const std::string& b) { return "{" + a + "," + b + "}"; };
  const std::string data = "0123456789ab";
  CHECK(refused(file_of(header(entry("a", 0, 4), entry("b", 4, 12)), data)) == "");
  CHECK(contains(refused(file_of(header(entry("a", 0, 4), entry("a", 4, 12)), data)), "key 'a': expected once"));
  CHECK(contains(refused(file_of(header(entry("a", 0, 4), entry("b", 6, 12)), data)),
                 "tensor 'b': expected to begin at 4, where the one before ends, found 6"));
  CHECK(contains(refused(file_of(header(entry("a", 0, 8), entry("b", 4, 12)), data)),
                 "tensor 'b': expected to begin at 8, where the one before ends, found 4"));
  CHECK(contains(refused(file_of(header(entry("a", 2, 4), entry("b", 4, 12)), data)),
                 "tensor 'a': expected to begin at 0"));
  CHECK(contains(refused(file_of(header(entry("a", 0, 4), entry("b", 4, 10)), data)),
                 "expected 10 bytes of data, as its tensors take, found 12"));
  CHECK(contains(refused(file_of("{}", data)), "expected 0 bytes of data, as its tensors take, found 12"));
}

TEST_CASE("entries that are not as the format says are refused") {
  CHECK(contains(refused(file_of(R"({"x":3})", "")),
                 "tensor 'x': expected an object of dtype, shape and data_offsets"));
  CHECK(contains(refused(file_of(R"({"x":{"dtype":"F32","shape":[0]}})", "")), "tensor 'x': expected an object of"));
  CHECK(contains(refused(file_of(R"({"x":{"dtype":"F32","shape":[1],"offsets":[0,4]}})", "1234")),
                 "tensor 'x': expected the key data_offsets, found none"));
  CHECK(contains(refused(file_of(R"({"x":{"dtype":"F32","shape":[1],"data_offsets":[0,4],"more":1}})", "1234")),
                 "tensor 'x': expected an object of dtype, shape and data_offsets"));
  CHECK(contains(refused(file_of(R"({"__metadata__":[]})", "")), "__metadata__: expected an object of strings"));
  CHECK(contains(refused(file_of(R"({"__metadata__":{"a":1}})", "")), "__metadata__: 'a': expected a string"));
}

TEST_CASE("a file cut anywhere is refused") {
  const std::string bytes = file_of(fmt::format("{{{},{}}}", entry("a", 0, 4), entry("b", 4, 10)), "aaaabbbbbb");
  REQUIRE(refused(bytes) == "");
  for (std::size_t size = 0; size < bytes.size(); ++size) CHECK(refused(bytes.substr(0, size)) != "");
}
