// JSON from outside: bounded in size and depth, every key once in its object, and no exception but BadInput.
#pragma once
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace lawful::io {

struct JsonLimits {
  /// A value takes up to some thirty times its text in memory, so this bounds both.
  std::size_t bytes = 2U << 20U;
  /// Arrays and objects within each other.
  std::size_t depth = 64;
};

/// The value that `text` (UTF-8) is; `name` is what errors shall call it. io::BadInput with the byte offset of the
/// fault for anything that is not one JSON value within the limits. The parser does not recurse.
nlohmann::json parse_json(std::string_view text, const std::string& name, JsonLimits limits = {});

}  // namespace lawful::io
