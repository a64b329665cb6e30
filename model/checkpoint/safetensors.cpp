#include "model/checkpoint/safetensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/bad_input.hpp"
#include "io/checked.hpp"
#include "io/json.hpp"
#include "io/printable.hpp"

namespace lawful::model {
namespace {

using Json = nlohmann::json;

struct Dtype {
  std::string_view name;
  kernels::Storage storage;
};
constexpr std::array<Dtype, 3> dtypes{
    {{"F32", kernels::Storage::f32}, {"F16", kernels::Storage::f16}, {"BF16", kernels::Storage::bf16}}};

/// A tensor and where its bytes lie, counted from the end of the header.
struct Listed {
  StoredTensor tensor;
  std::uint64_t begin;
  std::uint64_t end;
};

std::string_view header_text(std::span<const std::byte> bytes, const std::string& path) {
  std::uint64_t length = 0;
  if (bytes.size() < sizeof length) io::reject(path, "a header length of 8 bytes", fmt::to_string(bytes.size()));
  std::memcpy(&length, bytes.data(), sizeof length);
  const std::uint64_t after = bytes.size() - sizeof length;
  if (length == 0 || length > after) {
    io::reject(path + ": header length", fmt::format("1 to {}, the bytes that follow", after), fmt::to_string(length));
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + sizeof length, length);
  if (text[0] != '{') io::reject(path, "a header that begins with '{'", io::quoted(text.substr(0, 1)));
  return text;
}

const Json& member(const Json& entry, const char* key, const std::string& what) {
  const auto at = entry.find(key);
  if (at == entry.end()) io::reject(what, std::string("the key ") + key, "none");
  return *at;
}

std::vector<std::uint64_t> unsigned_integers(const Json& array, const std::string& what) {
  if (!array.is_array()) io::reject(what, "an array", array.type_name());
  std::vector<std::uint64_t> numbers;
  for (const auto& number : array) {
    if (!number.is_number_unsigned()) io::reject(what, "unsigned integers", io::printable(number.dump(), 40));
    numbers.push_back(number.get<std::uint64_t>());
  }
  return numbers;
}

kernels::Storage storage_of(const Json& dtype, const std::string& what) {
  if (dtype.is_string()) {
    const auto& name = dtype.get_ref<const std::string&>();
    for (const auto& known : dtypes) {
      if (name == known.name) return known.storage;
    }
    io::reject(what + ": dtype", "F32, F16 or BF16", io::quoted(name));
  }
  io::reject(what + ": dtype", "F32, F16 or BF16", dtype.type_name());
}

Listed read_entry(const std::string& name, const Json& entry, std::uint64_t available, const std::string& path) {
  const std::string what = path + ": tensor " + io::quoted(name);
  if (!entry.is_object() || entry.size() != 3) {
    io::reject(what, "an object of dtype, shape and data_offsets", io::printable(entry.dump(), 40));
  }
  Listed listed{{}, 0, 0};
  listed.tensor.name = name;
  listed.tensor.storage = storage_of(member(entry, "dtype", what), what);
  listed.tensor.shape = unsigned_integers(member(entry, "shape", what), what + ": shape");
  const auto offsets = unsigned_integers(member(entry, "data_offsets", what), what + ": data_offsets");
  if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > available) {
    io::reject(what + ": data_offsets", fmt::format("two offsets that rise, up to {}, the bytes of data", available),
               fmt::format("[{}]", fmt::join(offsets, ", ")));
  }
  listed.begin = offsets[0];
  listed.end = offsets[1];
  std::optional<std::uint64_t> size = kernels::block_shape(listed.tensor.storage).bytes;
  for (const auto dim : listed.tensor.shape) size = size ? io::checked_product(*size, dim) : size;
  listed.tensor.byte_count = listed.end - listed.begin;
  if (!size || *size == 0 || *size != listed.tensor.byte_count) {
    io::reject(what, fmt::format("as many bytes as {} [{}] takes, and at least one value",
                                 kernels::block_shape(listed.tensor.storage).name,
                                 fmt::join(listed.tensor.shape, ", ")),
               fmt::to_string(listed.tensor.byte_count));
  }
  return listed;
}

void check_metadata(const Json& metadata, const std::string& path) {
  if (!metadata.is_object()) io::reject(path + ": __metadata__", "an object of strings", metadata.type_name());
  for (const auto& [key, value] : metadata.items()) {
    if (!value.is_string()) {
      io::reject(path + ": __metadata__: " + io::quoted(key), "a string", value.type_name());
    }
  }
}

/// Sorts by offset; each tensor begins where the one before ends.
void refuse_gaps_and_overlaps(std::vector<Listed>& listed, std::uint64_t available, const std::string& path) {
  std::sort(listed.begin(), listed.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
  std::uint64_t expected = 0;
  for (const auto& l : listed) {
    if (l.begin != expected) {
      io::reject(path + ": tensor " + io::quoted(l.tensor.name),
                 fmt::format("to begin at {}, where the one before ends", expected), fmt::to_string(l.begin));
    }
    expected = l.end;
  }
  if (expected != available) {
    io::reject(path, fmt::format("{} bytes of data, as its tensors take", expected), fmt::to_string(available));
  }
}

}  // namespace

std::vector<StoredTensor> read_safetensors(std::span<const std::byte> bytes, const std::string& path) {
  const auto text = header_text(bytes, path);
  const auto data = bytes.subspan(sizeof(std::uint64_t) + text.size());
  const Json header = io::parse_json(text, path + ": header");
  std::vector<Listed> listed;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") check_metadata(entry, path);
    else listed.push_back(read_entry(name, entry, data.size(), path));
  }
  refuse_gaps_and_overlaps(listed, data.size(), path);
  std::vector<StoredTensor> tensors;
  for (auto& l : listed) {
    l.tensor.bytes = data.data() + l.begin;
    tensors.push_back(std::move(l.tensor));
  }
  return tensors;
}

}  // namespace lawful::model
