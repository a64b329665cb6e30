#include "cli/batch_request.hpp"

#include "io/bad_input.hpp"
#include "io/json.hpp"
#include "io/printable.hpp"
#include "model/message_json.hpp"
#include "model/sampling_json.hpp"
#include "model/stop_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace lawful::cli {
namespace {

using Json = nlohmann::json;

constexpr std::array keys{"id",          "prompt", "prompt_ids", "messages", "plain", "tokens",             "ignore_eos",
                          "temperature", "top_k",  "top_p",      "min_p",    "seed",  "repetition_penalty", "stop",
                          "logprobs"};

/// The fields of one line; what is wrong with one names the line and the field.
class Fields {
 public:
  Fields(const Json& line, std::string where) : line_(line), where_(std::move(where)) {}

  const Json* find(const char* key) const {
    const auto found = line_.find(key);
    return found == line_.end() ? nullptr : &*found;
  }
  [[noreturn]] void refuse(const char* key, std::string_view expected, const Json& found) const {
    const std::string text = found.dump(-1, ' ', true, Json::error_handler_t::replace);
    io::reject(fmt::format("{}: {}", where_, key), expected, io::printable(text));
  }
  bool flag(const char* key, bool otherwise) const {
    const Json* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_boolean()) refuse(key, "true or false", *value);
    return value->get<bool>();
  }
  std::size_t number(const char* key, std::size_t most, std::size_t otherwise) const {
    const Json* value = find(key);
    if (value == nullptr) return otherwise;
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() > most)
      refuse(key, fmt::format("a whole number from 0 to {}", most), *value);
    return value->get<std::size_t>();
  }
  const Json& all() const { return line_; }
  const std::string& where() const { return where_; }

  void require_known() const {
    std::string known;
    for (const char* key : keys) known += (known.empty() ? "" : ", ") + std::string(key);
    for (const auto& [key, value] : line_.items())
      if (std::ranges::find(keys, key) == keys.end()) io::reject(where_, "the keys " + known, io::quoted(key));
  }

 private:
  const Json& line_;
  std::string where_;
};

std::vector<std::uint32_t> ids_of(const Fields& fields, const Json& value, std::size_t vocab) {
  const std::string expected = fmt::format("a list of ids from 0 to {}", vocab - 1);
  if (!value.is_array()) fields.refuse("prompt_ids", expected, value);
  std::vector<std::uint32_t> ids;
  for (const Json& id : value) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= vocab) fields.refuse("prompt_ids", expected, id);
    ids.push_back(id.get<std::uint32_t>());
  }
  return ids;
}

std::vector<std::uint32_t> prompt_of(const Fields& fields, const tokenizer::Tokenizer& tokenizer) {
  const Json* text = fields.find("prompt");
  const bool plain = fields.flag("plain", false);
  if (text == nullptr) {
    if (plain) io::reject(fields.where() + ": plain", "a prompt that is a text", "none");
    return ids_of(fields, *fields.find("prompt_ids"), tokenizer.size());
  }
  if (!text->is_string()) fields.refuse("prompt", "a string", *text);
  return tokenizer.encode(text->get_ref<const std::string&>(),
                          plain ? tokenizer::Specials::plain : tokenizer::Specials::parsed);
}

/// The ids of a conversation up to where the answer to its last message begins.
std::vector<std::uint32_t> conversation_of(const Fields& fields, const tokenizer::Tokenizer& tokenizer,
                                           const BatchForm& form) {
  const std::string place = fields.where() + ": messages";
  const auto messages = model::read_messages(*fields.find("messages"), place);
  model::require_own_ids(messages, tokenizer, place);
  if (messages.back().role != model::Role::user || messages.back().content.empty())
    io::reject(place, "a message of a user at the end, of at least one character", messages.back().content.empty()
               ? "an empty one" : "one of another role");
  if (fields.flag("plain", false)) io::reject(fields.where() + ": plain", "a prompt that is a text", "messages");
  if (!form.form) throw io::BadInput(place + ": " + form.why_none);
  return form.form->encode(messages, true);
}

/// A line says what to continue in one way.
void require_one_prompt(const Fields& fields) {
  std::string found;
  for (const char* key : {"prompt", "prompt_ids", "messages"})
    if (fields.find(key) != nullptr) found += (found.empty() ? "" : " and ") + std::string(key);
  if (found.empty() || found.find(" and ") != std::string::npos)
    io::reject(fields.where(), "a prompt, prompt_ids or messages", found.empty() ? "none of them" : found);
}

/// Settings of a draw without one are a mistake, as they are on the command line.
model::Sampling sampling_of(const Fields& fields, const model::Sampling& defaults, std::size_t number) {
  model::Sampling absent = defaults;
  absent.seed += number;
  const model::Sampling s = model::read_sampling(fields.all(), fields.where(), absent);
  for (const char* filter : {"top_k", "top_p", "min_p", "seed"})
    if (s.temperature == 0.0 && fields.find("temperature") == nullptr && fields.find(filter) != nullptr)
      io::reject(fmt::format("{}: {}", fields.where(), filter),
                 "a temperature beside it, since nothing is drawn without", "none");
  return s;
}

std::vector<std::string> stops_of(const Fields& fields, const std::vector<std::string>& defaults) {
  const Json* value = fields.find("stop");
  if (value == nullptr) return defaults;
  std::vector<std::string> stops;
  for (const Json& one : value->is_array() ? *value : Json::array({*value})) {
    if (!one.is_string()) fields.refuse("stop", "a string, or a list of them", one);
    stops.push_back(one.get<std::string>());
  }
  try {
    model::StopText sound(stops);
  } catch (const io::BadInput& error) {
    throw io::BadInput(fields.where() + ": " + error.what());
  }
  return stops;
}

}  // namespace

BatchRequest BatchReader::read(std::string_view line, std::size_t number) const {
  BatchRequest out;
  const std::string where = fmt::format("line {}", number);
  try {
    const Json value = io::parse_json(line, where);
    if (!value.is_object()) io::reject(where, "a JSON object", value.type_name());
    const Fields fields(value, where);
    if (const Json* id = fields.find("id"); id != nullptr) {
      // Any other number would come out changed.
      if (!id->is_string() && !id->is_number_integer())
        fields.refuse("id", "a string or a whole number of at most 64 bits", *id);
      out.id = id->dump();
    }
    fields.require_known();
    require_one_prompt(fields);
    out.is_conversation = fields.find("messages") != nullptr;
    out.prompt = out.is_conversation ? conversation_of(fields, tokenizer_, form_) : prompt_of(fields, tokenizer_);
    if (out.prompt.empty()) io::reject(where + ": prompt", "at least one token", "none");
    out.tokens = fields.number("tokens", std::numeric_limits<std::int32_t>::max(), defaults_.tokens);
    out.ignore_eos = fields.flag("ignore_eos", defaults_.ignore_eos);
    out.sampling = sampling_of(fields, defaults_.sampling, number);
    out.stops = stops_of(fields, defaults_.stops);
    if (fields.find("logprobs") != nullptr) out.log_probabilities = fields.number("logprobs", 1000, 0);
  } catch (const io::BadInput& error) {
    out.error = error.what();
  }
  return out;
}

}  // namespace lawful::cli
