#include "io/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "io/bad_input.hpp"
#include "io/printable.hpp"

namespace lawful::io {
namespace {

using Json = nlohmann::json;

/// Builds the value as the parser reports it. `open_` holds the arrays and objects that have not ended yet; their
/// addresses stay, since nothing is added to a container before its newest element has ended.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  Builder(const std::string& name, std::size_t depth) : name_(name), depth_(depth) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t& text) override {
    if (!std::isfinite(value)) reject(name_, "numbers that fit a double", printable(text));
    return add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }  // no text holds one

  bool start_object(std::size_t) override { return start(Json::object()); }
  bool end_object() override { return end(); }
  bool start_array(std::size_t) override { return start(Json::array()); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override {
    if (open_.back()->contains(name)) reject(name_ + ": key " + io::quoted(name), "once in its object", "it twice");
    key_ = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception&) override {
    reject(name_, "JSON", fmt::format("an error at byte {}, after {}", position, io::quoted(token, 40)));
  }

 private:
  template <class Value>
  bool add(Value&& value) {
    place(std::forward<Value>(value));
    return true;
  }

  bool start(Json container) {
    if (open_.size() == depth_) reject(name_, fmt::format("at most {} levels of nesting", depth_), "more");
    open_.push_back(place(std::move(container)));
    return true;
  }

  bool end() {
    open_.pop_back();
    return true;
  }

  Json* place(Json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }

  const std::string& name_;
  std::size_t depth_;
  Json root_;
  std::vector<Json*> open_;
  std::string key_;
};

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& name, JsonLimits limits) {
  if (text.size() > limits.bytes) {
    reject(name, fmt::format("at most {} bytes of JSON", limits.bytes), fmt::to_string(text.size()));
  }
  Builder builder(name, limits.depth);
  Json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

}  // namespace lawful::io
