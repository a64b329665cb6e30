#include "model/checkpoint/gguf.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "io/bad_input.hpp"
#include "io/checked.hpp"
#include "io/printable.hpp"
#include "model/checkpoint/gguf_cursor.hpp"
#include "model/checkpoint/gguf_types.hpp"

namespace lawful::model {
namespace {

constexpr std::uint64_t max_alignment = 1U << 20U;
constexpr std::uint64_t max_name_bytes = 65535;  // the specification's limit for keys
constexpr std::uint32_t max_dims = 4;
// A whole model has some hundred tensors and some dozen keys. What a file lists costs up to ten times its bytes in
// memory, so more than these bounds would let a file of 100 MB take a gigabyte.
constexpr std::uint64_t max_keys = 1U << 16U;
constexpr std::uint64_t max_tensors = 1U << 16U;
constexpr std::uint64_t max_strings = 1U << 20U;  // in one array; SmolLM2 has 49,152 tokens

struct TypeFacts {
  std::string_view name;
  std::uint64_t bytes;  // 0: of variable size
};
constexpr std::array<TypeFacts, 13> type_facts{{{"UINT8", 1}, {"INT8", 1}, {"UINT16", 2}, {"INT16", 2},
                                                {"UINT32", 4}, {"INT32", 4}, {"FLOAT32", 4}, {"BOOL", 1},
                                                {"STRING", 0}, {"ARRAY", 0}, {"UINT64", 8}, {"INT64", 8},
                                                {"FLOAT64", 8}}};
const TypeFacts& facts(GgufType type) { return type_facts[static_cast<std::size_t>(type)]; }

std::string supported_tensor_types() {
  std::string names;
  for (const auto& t : gguf_tensor_types) {
    if (!names.empty()) names += ", ";
    names += fmt::format("{} ({})", t.number, kernels::block_shape(t.storage).name);
  }
  return "a tensor type among " + names;
}

/// The header, entry by entry, then the checks over all of it.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& path) : bytes_(bytes), path_(path), at_(bytes, path) {}

  std::uint32_t version() {
    constexpr std::uint32_t magic = 0x46554747;  // "GGUF"
    if (at_.number<std::uint32_t>("magic") != magic) io::reject(path_, "a file that begins with 'GGUF'", "another");
    const auto version = at_.number<std::uint32_t>("version");
    if (version != 2 && version != 3) {
      const bool big_endian = version == 0x02000000U || version == 0x03000000U;
      io::reject(path_ + ": version", "2 or 3, little endian",
                 big_endian ? "a big-endian file" : fmt::to_string(version));
    }
    return version;
  }

  void counts() {
    tensor_count_ = at_.count(33, "tensor count", max_tensors);  // name 8 + 1, n_dims 4, one dim 8, type 4, offset 8
    entry_count_ = at_.count(14, "key count", max_keys);         // key 8 + 1, type 4, value 1
  }

  std::vector<GgufFile::Entry> entries() {
    std::vector<GgufFile::Entry> all;
    all.reserve(entry_count_);
    for (std::uint64_t i = 0; i < entry_count_; ++i) all.push_back(entry(i));
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
    const auto twice =
        std::adjacent_find(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.key == b.key; });
    if (twice != all.end()) io::reject(path_ + ": key " + io::quoted(twice->key), "one value", "it again");
    return all;
  }

  std::vector<GgufTensor> tensors(std::uint64_t alignment) {
    std::vector<GgufTensor> all;
    all.reserve(tensor_count_);
    std::vector<std::uint64_t> offsets;
    for (std::uint64_t i = 0; i < tensor_count_; ++i) {
      all.push_back(tensor(i));
      offsets.push_back(at_.number<std::uint64_t>("tensor offset"));
    }
    refuse_same_names(all);
    place(all, offsets, alignment);
    return all;
  }

 private:
  GgufFile::Entry entry(std::uint64_t index) {
    const auto key = at_.string(fmt::format("key {}", index));
    if (key.empty() || key.size() > max_name_bytes) {
      io::reject(fmt::format("{}: key {}", path_, index), "1 to 65535 bytes", fmt::to_string(key.size()));
    }
    return {key, value("key " + io::quoted(key))};
  }

  GgufType type(const std::string& what) {
    const auto number = at_.number<std::uint32_t>(what);
    if (number >= type_facts.size()) io::reject(path_ + ": " + what, "a value type below 13", fmt::to_string(number));
    return static_cast<GgufType>(number);
  }

  GgufValue value(const std::string& what) {
    const GgufType outer = type(what);
    if (outer != GgufType::array) return elements(outer, false, 1, what);
    const GgufType inner = type(what);
    if (inner == GgufType::array) io::reject(path_ + ": " + what, "an array of plain values", "an array of arrays");
    const std::uint64_t least = inner == GgufType::string ? 8 : facts(inner).bytes;
    return elements(inner, true, at_.count(least, what), what);
  }

  GgufValue elements(GgufType type, bool is_array, std::uint64_t count, const std::string& what) {
    const GgufValue value{type, is_array, count, at_.here()};
    if (type == GgufType::string) {
      for (std::uint64_t i = 0; i < count; ++i) at_.string(what);
    } else {
      at_.take(count * facts(type).bytes, what);  // at most the bytes that remain: count() has checked it
      if (type == GgufType::boolean) refuse_other_than_booleans(value, what);
    }
    return value;
  }

  void refuse_other_than_booleans(const GgufValue& value, const std::string& what) const {
    for (std::uint64_t i = 0; i < value.count; ++i) {
      const auto octet = std::to_integer<unsigned>(value.bytes[i]);
      if (octet > 1) io::reject(path_ + ": " + what, "a boolean of 0 or 1", fmt::to_string(octet));
    }
  }

  GgufTensor tensor(std::uint64_t index) {
    const auto name = at_.string(fmt::format("name of tensor {}", index));
    if (name.empty() || name.size() > max_name_bytes) {
      io::reject(fmt::format("{}: name of tensor {}", path_, index), "1 to 65535 bytes", fmt::to_string(name.size()));
    }
    const std::string what = path_ + ": tensor " + io::quoted(name);
    const auto n_dims = at_.number<std::uint32_t>("number of dimensions");
    if (n_dims < 1 || n_dims > max_dims) io::reject(what, "1 to 4 dimensions", fmt::to_string(n_dims));
    std::vector<std::uint64_t> dims(n_dims);
    for (auto& dim : dims) dim = at_.number<std::uint64_t>("dimension");
    const auto number = at_.number<std::uint32_t>("tensor type");
    const auto* known =
        std::find_if(gguf_tensor_types.begin(), gguf_tensor_types.end(),
                     [&](const auto& t) { return t.number == number; });
    if (known == gguf_tensor_types.end()) io::reject(what, supported_tensor_types(), fmt::to_string(number));
    const std::uint64_t size = byte_count(dims, known->storage, what);
    return {name, std::move(dims), known->storage, nullptr, size};
  }

  std::uint64_t byte_count(const std::vector<std::uint64_t>& dims, kernels::Storage storage,
                           const std::string& what) const {
    const auto& shape = kernels::block_shape(storage);
    if (dims[0] % shape.values != 0) {
      io::reject(what, fmt::format("rows of whole {} blocks of {}", shape.name, shape.values),
                 fmt::format("rows of {}", dims[0]));
    }
    std::optional<std::uint64_t> bytes = io::checked_product(dims[0] / shape.values, shape.bytes);
    for (std::size_t i = 1; bytes && i < dims.size(); ++i) bytes = io::checked_product(*bytes, dims[i]);
    if (!bytes || *bytes == 0 || *bytes > bytes_.size()) {
      io::reject(what, fmt::format("1 to {} bytes, the file's size", bytes_.size()),
                 fmt::format("dimensions {}", fmt::join(dims, " × ")));
    }
    return *bytes;
  }

  void refuse_same_names(const std::vector<GgufTensor>& tensors) const {
    std::vector<std::string_view> names;
    names.reserve(tensors.size());
    for (const auto& t : tensors) names.push_back(t.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) io::reject(path_ + ": tensor " + io::quoted(*twice), "one of that name", "two");
  }

  /// The data begins at the next multiple of `alignment`; the tensors fill it without overlap, each padded to a
  /// multiple of `alignment` (the last one may end the file without its padding).
  void place(std::vector<GgufTensor>& tensors, const std::vector<std::uint64_t>& offsets,
             std::uint64_t alignment) const {
    const std::uint64_t begin = padded(at_.position(), alignment);
    const std::uint64_t available = begin <= bytes_.size() ? bytes_.size() - begin : 0;
    std::vector<std::size_t> order(tensors.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return offsets[a] < offsets[b]; });
    std::uint64_t expected = 0;
    for (const std::size_t i : order) {
      auto& tensor = tensors[i];
      const std::string what = path_ + ": tensor " + io::quoted(tensor.name);
      if (offsets[i] != expected) {
        io::reject(what, fmt::format("to begin at {}, where the one before ends", expected),
                   fmt::format("offset {}", offsets[i]));
      }
      if (offsets[i] > available || tensor.byte_count > available - offsets[i]) {
        io::reject(what, fmt::format("{} bytes at offset {}", tensor.byte_count, offsets[i]),
                   fmt::format("{} bytes of tensor data: the file is cut short", available));
      }
      tensor.bytes = bytes_.data() + begin + offsets[i];
      expected = padded(offsets[i] + tensor.byte_count, alignment);  // both are below the file's size: no wrap
    }
    if (available > expected) {
      io::reject(path_, fmt::format("the file to end at byte {}, after its last tensor", begin + expected),
                 fmt::format("{} bytes", bytes_.size()));
    }
  }

  static std::uint64_t padded(std::uint64_t n, std::uint64_t alignment) {
    return (n + alignment - 1) / alignment * alignment;
  }

  std::span<const std::byte> bytes_;
  const std::string& path_;
  GgufCursor at_;
  std::uint64_t tensor_count_ = 0;
  std::uint64_t entry_count_ = 0;
};

}  // namespace

GgufFile::GgufFile(std::span<const std::byte> bytes, std::string path) : path_(std::move(path)) {
  Reader reader(bytes, path_);
  version_ = reader.version();
  reader.counts();
  entries_ = reader.entries();
  const auto alignment = unsigned_integer("general.alignment").value_or(32);
  if (!std::has_single_bit(alignment) || alignment > max_alignment) {
    io::reject(path_ + ": general.alignment", fmt::format("a power of two up to {}", max_alignment),
               fmt::to_string(alignment));
  }
  tensors_ = reader.tensors(alignment);
}

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), key,
                                   [](const Entry& e, std::string_view k) { return e.key < k; });
  return at != entries_.end() && at->key == key ? &at->value : nullptr;
}

void GgufFile::wrong_type(std::string_view key, std::string_view expected, const GgufValue& found) const {
  io::reject(path_ + ": " + std::string(key), expected,
             fmt::format("{}{}", found.is_array ? "an array of " : "", facts(found.type).name));
}

const GgufValue* GgufFile::scalar(std::string_view key, std::string_view expected) const {
  const GgufValue* value = find(key);
  if (value != nullptr && value->is_array) wrong_type(key, expected, *value);
  return value;
}

std::optional<std::uint64_t> GgufFile::unsigned_integer(std::string_view key) const {
  constexpr std::string_view expected = "an unsigned integer";
  const GgufValue* value = scalar(key, expected);
  if (value == nullptr) return std::nullopt;
  switch (value->type) {
    case GgufType::u8: return load_unaligned<std::uint8_t>(value->bytes);
    case GgufType::u16: return load_unaligned<std::uint16_t>(value->bytes);
    case GgufType::u32: return load_unaligned<std::uint32_t>(value->bytes);
    case GgufType::u64: return load_unaligned<std::uint64_t>(value->bytes);
    default: wrong_type(key, expected, *value);
  }
}

std::optional<double> GgufFile::real(std::string_view key) const {
  constexpr std::string_view expected = "a FLOAT32 or FLOAT64";
  const GgufValue* value = scalar(key, expected);
  if (value == nullptr) return std::nullopt;
  if (value->type == GgufType::f32) return static_cast<double>(load_unaligned<float>(value->bytes));
  if (value->type == GgufType::f64) return load_unaligned<double>(value->bytes);
  wrong_type(key, expected, *value);
}

std::optional<bool> GgufFile::boolean(std::string_view key) const {
  const GgufValue* value = scalar(key, "a BOOL");
  if (value == nullptr) return std::nullopt;
  if (value->type != GgufType::boolean) wrong_type(key, "a BOOL", *value);
  return *value->bytes != std::byte{0};
}

std::optional<std::string_view> GgufFile::string(std::string_view key) const {
  const GgufValue* value = scalar(key, "a STRING");
  if (value == nullptr) return std::nullopt;
  if (value->type != GgufType::string) wrong_type(key, "a STRING", *value);
  return std::string_view(reinterpret_cast<const char*>(value->bytes) + 8, load_unaligned<std::uint64_t>(value->bytes));
}

std::optional<std::vector<std::string_view>> GgufFile::strings(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array || value->type != GgufType::string) wrong_type(key, "an array of STRING", *value);
  if (value->count > max_strings) {
    io::reject(path_ + ": " + std::string(key), fmt::format("at most {} strings", max_strings),
               fmt::to_string(value->count));
  }
  std::vector<std::string_view> all;
  all.reserve(value->count);
  const std::byte* at = value->bytes;
  for (std::uint64_t i = 0; i < value->count; ++i) {
    const auto length = load_unaligned<std::uint64_t>(at);
    all.emplace_back(reinterpret_cast<const char*>(at) + 8, length);
    at += 8 + length;
  }
  return all;
}

std::optional<std::vector<std::int32_t>> GgufFile::integers(std::string_view key) const {
  const GgufValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array || value->type != GgufType::i32) wrong_type(key, "an array of INT32", *value);
  std::vector<std::int32_t> all(value->count);  // as many bytes as in the file
  if (!all.empty()) std::memcpy(all.data(), value->bytes, all.size() * sizeof(std::int32_t));
  return all;
}

}  // namespace lawful::model
