#include "viewer/page.hpp"

#include "io/utf8.hpp"
#include "viewer/attention_weights.hpp"
#include "viewer/page_template.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace lawful::viewer {
namespace {

using Json = nlohmann::ordered_json;

/// RFC 4648, with padding.
std::string base64(const std::vector<std::uint8_t>& bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 3; ++i) three = three << 8U | (at + i < bytes.size() ? bytes[at + i] : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      out += at + i > bytes.size() ? '=' : digits[three >> (18U - 6U * static_cast<std::uint32_t>(i)) & 63U];
  }
  return out;
}

/// Weights as bytes, the low one first.
std::string packed(const std::vector<std::uint16_t>& weights) {
  std::vector<std::uint8_t> bytes;
  for (const auto weight : weights) {
    bytes.push_back(static_cast<std::uint8_t>(weight & 255U));
    bytes.push_back(static_cast<std::uint8_t>(weight >> 8U));
  }
  return base64(bytes);
}

/// Six digits are more than a page shows.
double rounded(double x) {
  if (x == 0.0) return x;
  const double unit = std::pow(10.0, std::floor(std::log10(std::abs(x))) - 5.0);
  return std::stod(fmt::format("{:.5e}", std::round(x / unit) * unit));
}

Json numbers(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double x : values) out.push_back(rounded(x));
  return out;
}

/// Figures as JSON; the texts of the ids that occur are kept in `texts`.
class Figures {
 public:
  explicit Figures(const tokenizer::Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  Json ids(const std::vector<std::uint32_t>& ids) {
    for (const auto id : ids) name(id);
    return ids;
  }
  Json likely(const std::vector<std::vector<Likely>>& rows) {
    Json out = Json::array();
    for (const auto& row : rows) {
      Json pairs = Json::array();
      for (const auto& [id, probability] : row) {
        name(id);
        pairs.push_back({id, rounded(probability)});
      }
      out.push_back(std::move(pairs));
    }
    return out;
  }
  const Json& texts() const { return texts_; }

 private:
  void name(std::uint32_t id) { texts_[std::to_string(id)] = shown(tokenizer_.token_bytes(id)); }
  const tokenizer::Tokenizer& tokenizer_;
  Json texts_ = Json::object();
};

Json figures(const Trace& trace, const model::Config& config, const tokenizer::Tokenizer& tokenizer) {
  Figures f(tokenizer);
  Json lens = Json::array(), norms = Json::array(), attention = Json::array();
  for (const auto& layer : trace.lens) lens.push_back(f.likely(layer));
  for (const auto& step : trace.norms) norms.push_back(numbers(step));
  for (const auto& layer : trace.attention) attention.push_back(packed(layer));
  Json ids = f.ids(trace.ids), next = f.likely(trace.next);
  return {{"model", config.name},
          {"version", LAWFUL_VERSION},
          {"layers", config.layers},
          {"heads", config.heads()},
          {"kv_heads", config.kv_heads},
          {"width", config.dim()},
          {"ids", std::move(ids)},
          {"next", std::move(next)},
          {"given", numbers(trace.given)},
          {"lens", std::move(lens)},
          {"norms", std::move(norms)},
          {"whole_weight", whole_weight},
          {"attention", std::move(attention)},
          {"texts", f.texts()}};
}

}  // namespace

std::string shown(std::string_view bytes) {
  if (io::valid_utf8_prefix(bytes) == bytes.size()) return std::string(bytes);
  std::string out;
  for (const char c : bytes) out += fmt::format("{}{:02X}", out.empty() ? "⟨" : " ", static_cast<unsigned char>(c));
  return out + "⟩";
}

std::string page(const Trace& trace, const model::Config& config, const tokenizer::Tokenizer& tokenizer) {
  // Inside a script element only "<" can end it or begin a comment; it stands in JSON within strings alone.
  std::string json;
  for (const char c : figures(trace, config, tokenizer).dump(-1, ' ', true))
    c == '<' ? json += "\\u003c" : json += c;
  constexpr std::string_view place = "{{trace}}";
  const std::size_t at = page_template.find(place);
  return std::string(page_template.substr(0, at)) + json + std::string(page_template.substr(at + place.size()));
}

}  // namespace lawful::viewer
