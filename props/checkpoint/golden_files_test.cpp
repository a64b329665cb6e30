// Files that the `gguf` and `safetensors` packages wrote, and how they narrow values: reference/make_golden_files.py.
#include <doctest/doctest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "io/mapped_file.hpp"
#include "model/checkpoint/gguf.hpp"
#include "model/checkpoint/narrow.hpp"
#include "model/checkpoint/safetensors.hpp"
#include "props/rejection.hpp"

namespace {

using namespace lawful;
using kernels::Storage;

template <class T>
std::vector<T> from_hex(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

const nlohmann::json& golden() {
  static const auto json = [] {
    std::ifstream file("reference/values/golden_narrow.json");
    return nlohmann::json::parse(file);
  }();
  return json;
}

/// The largest difference of a tensor's values from the F32 values that were stored.
float error_of(Storage storage, const std::byte* bytes) {
  const auto expected = from_hex<float>(golden().at("container").get<std::string>());
  std::vector<float> found(expected.size());
  kernels::widen(storage, bytes, found.size(), found.data());
  float error = 0;
  for (std::size_t i = 0; i < found.size(); ++i) error = std::max(error, std::abs(found[i] - expected[i]));
  return error;
}

std::size_t wrongly_narrowed(Storage storage, const char* name) {
  const auto values = from_hex<float>(golden().at(name).at(0).get<std::string>());
  const auto expected = from_hex<std::byte>(golden().at(name).at(1).get<std::string>());
  std::vector<std::byte> found(expected.size());
  REQUIRE(values.size() / kernels::block_shape(storage).values * kernels::block_shape(storage).bytes == found.size());
  model::narrow(storage, values, found.data(), "values");
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < found.size(); ++i) wrong += found[i] == expected[i] ? 0 : 1;
  return wrong;
}

std::string refused(Storage storage, float value) {
  std::vector<float> values(32, value);
  std::vector<std::byte> out(128);
  return props::rejection([&] { model::narrow(storage, values, out.data(), "tensor 'x'"); });
}

}  // namespace

TEST_CASE("a GGUF file of the gguf package: metadata of every type, tensors of every storage") {
  const io::MappedFile mapped("reference/values/golden.gguf");
  const model::GgufFile file(mapped.bytes(), mapped.path());
  CHECK(file.version() == 3);
  CHECK(file.string("general.architecture") == "llama");
  CHECK(file.unsigned_integer("number") == 4294967295U);
  CHECK(file.real("real") == static_cast<double>(0.1F));
  CHECK(file.boolean("yes") == true);
  CHECK(file.string("text") == "é\n");
  CHECK(file.strings("words") == std::vector<std::string_view>{"a", "", "Ġthe"});
  CHECK(file.integers("numbers") == std::vector<std::int32_t>{1, -2, 3});
  REQUIRE(file.tensors().size() == 8);
  for (const auto& tensor : file.tensors()) {
    CAPTURE(std::string(tensor.name));
    CHECK(tensor.name == "t." + std::string(kernels::block_shape(tensor.storage).name));
    CHECK(tensor.dims == std::vector<std::uint64_t>{64, 2});
    const float error = error_of(tensor.storage, tensor.bytes);
    CHECK(error < 0.05F);  // values of about 0.1: any wrong nibble, scale or row is far beyond that
    CHECK((tensor.storage == Storage::f32) == (error == 0.0F));
  }
}

TEST_CASE("a safetensors file of the safetensors package") {
  const io::MappedFile mapped("reference/values/golden.safetensors");
  const auto tensors = model::read_safetensors(mapped.bytes(), mapped.path());
  REQUIRE(tensors.size() == 2);
  for (const auto& tensor : tensors) {
    CHECK(tensor.shape == std::vector<std::uint64_t>{2, 64});
    const float error = error_of(tensor.storage, tensor.bytes);
    CHECK(tensor.name == (tensor.storage == Storage::f32 ? "f32" : "f16"));
    CHECK(error < (tensor.storage == Storage::f32 ? 1e-30F : 2e-4F));
  }
}

TEST_CASE("narrowing is bit for bit numpy's F16 and the gguf package's BF16 and Q8_0") {
  CHECK(wrongly_narrowed(Storage::f16, "F16") == 0);
  CHECK(wrongly_narrowed(Storage::bf16, "BF16") == 0);
  CHECK(wrongly_narrowed(Storage::q8_0, "Q8_0") == 0);
}

TEST_CASE("every F16 and BF16 value survives widening and narrowing") {
  for (const auto storage : {Storage::f16, Storage::bf16}) {
    int wrong = 0;
    for (unsigned pattern = 0; pattern < 65536; ++pattern) {
      std::byte stored[2], again[2];
      const auto half = static_cast<std::uint16_t>(pattern);
      std::memcpy(stored, &half, 2);
      float value = 0;
      kernels::widen(storage, stored, 1, &value);
      model::narrow(storage, std::span(&value, 1), again, "value");
      std::uint16_t back = 0;
      std::memcpy(&back, again, 2);
      const std::uint16_t quiet = storage == Storage::f16 ? 0x0200 : 0x0040;
      wrong += back == half || (value != value && back == (half | quiet)) ? 0 : 1;
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a value that a storage has no number for is refused by name") {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const float largest = std::numeric_limits<float>::max();
  CHECK(props::contains(refused(Storage::f16, 65520.0F), "tensor 'x': expected values within 65504"));
  CHECK(refused(Storage::f16, 65519.0F) == "");
  CHECK(refused(Storage::f16, -inf) == "");
  CHECK(refused(Storage::f16, nan) == "");
  CHECK(props::contains(refused(Storage::bf16, largest), "tensor 'x': expected values that fit BF16"));
  CHECK(refused(Storage::bf16, inf) == "");
  CHECK(props::contains(refused(Storage::q8_0, nan), "tensor 'x': expected finite values for Q8_0"));
  CHECK(props::contains(refused(Storage::q8_0, inf), "tensor 'x': expected finite values for Q8_0"));
  CHECK(props::contains(refused(Storage::q8_0, largest), "tensor 'x': expected values within 127"));
  CHECK(refused(Storage::q8_0, 1e-42F) == "");
}
