#include "tokenizer/tokenizer_json.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "io/bad_input.hpp"
#include "io/json_reader.hpp"
#include "io/printable.hpp"

namespace lawful::tokenizer {
namespace {

using Json = nlohmann::json;
using io::JsonToken;

/// Puts tokens under their ids, out of the vocabulary and the added tokens.
class TokenList {
 public:
  /// Ids are below `most`, whatever the file says.
  TokenList(VocabularySource& source, std::size_t most) : source_(source), most_(most) { source.tokens.reserve(most); }

  void put(std::uint64_t id, std::string_view token, TokenKind kind) {
    if (id >= most_) io::reject(thing(id), fmt::format("an id below {} in a file of this size", most_), "more");
    if (id >= source_.tokens.size()) {
      source_.tokens.resize(id + 1);
      source_.kinds.resize(id + 1, TokenKind::normal);
    }
    std::string_view& place = source_.tokens[id];
    const bool same_again = kind == TokenKind::control && place == token;
    if (!place.empty() && !same_again) io::reject(thing(id), "one spelling", "two");
    place = token;
    source_.kinds[id] = kind;
  }

 private:
  std::string thing(std::uint64_t id) const { return fmt::format("{}: token id {}", source_.name, id); }

  VocabularySource& source_;
  std::size_t most_;
};

/// Takes a tokenizer.json apart: model.vocab and model.merges become views into it, all else a small document.
class Reader {
 public:
  Reader(std::string_view text, const std::string& name)
      : in_(text, name), tokens_(source_, std::min(text.size() / token_bytes, most_listed)) {
    source_.name = name;
    source_.merges.reserve(std::min(text.size() / merge_bytes, most_listed));
    read_document();
  }

  /// To be filled up with the added tokens. Its views are good as long as this object.
  VocabularySource& source() { return source_; }
  TokenList& tokens() { return tokens_; }
  /// The document, with null for the two.
  const Json& document() const { return document_; }

 private:
  static constexpr std::size_t token_bytes = 6, merge_bytes = 6;  // at least, as written: "a":0,  "a b",
  // Bounds on what a text costs in memory beyond its own size: a value of the document takes up to 50 times its bytes.
  static constexpr std::size_t most_listed = 1U << 20U, most_values = 1U << 16U;

  void read_document() {
    std::vector<Json*> open;  // the containers that are open, the outermost first
    std::string key;
    auto put = [&, values = std::size_t{0}](Json value) mutable -> Json& {
      if (++values > most_values) {
        io::reject(source_.name, fmt::format("at most {} values beside vocab and merges", most_values), "more");
      }
      if (open.empty()) return document_ = std::move(value);
      return open.back()->is_array() ? open.back()->emplace_back(std::move(value))
                                     : (*open.back())[key] = std::move(value);
    };
    for (JsonToken token; (token = in_.next()) != JsonToken::end;) {
      switch (token) {
        case JsonToken::object_begin: open.push_back(&put(Json::object())); break;
        case JsonToken::array_begin: open.push_back(&put(Json::array())); break;
        case JsonToken::key:
          key = in_.text();
          if (open.back()->contains(key)) io::reject(source_.name, "each key once", io::quoted(key) + " twice");
          if (open.size() == 2 && open[0]->is_object() && open[0]->contains("model") &&
              open[1] == &(*open[0])["model"] && read_list(key)) {
            put(nullptr);
          }
          break;
        case JsonToken::string: put(in_.text()); break;
        case JsonToken::number:  // one beyond double is `discarded`, which no rule allows
        case JsonToken::boolean: put(Json::parse(in_.text(), nullptr, false)); break;
        case JsonToken::null: put(nullptr); break;
        default: open.pop_back();
      }
    }
  }

  /// Reads the value of a key of `model`, if it is one of the two lists.
  bool read_list(std::string_view key) {
    if (key == "vocab") {
      read_vocab();
    } else if (key == "merges") {
      read_merges();
    } else {
      return false;
    }
    return true;
  }

  void read_vocab() {
    if (in_.next() != JsonToken::object_begin) refuse("vocab", "an object");
    while (in_.next() == JsonToken::key) {
      const std::string_view token = in_.text();
      if (in_.next() != JsonToken::number) refuse("vocab", "a number for each token");
      const std::string_view digits = in_.text();
      const char* const digits_end = digits.data() + digits.size();
      std::uint64_t id = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits_end, id);
      if (error != std::errc{} || end != digits_end) refuse("vocab", "a whole number for each token");
      tokens_.put(id, token, TokenKind::normal);
    }
  }

  void read_merges() {
    if (in_.next() != JsonToken::array_begin) refuse("merges", "an array");
    for (JsonToken token; (token = in_.next()) != JsonToken::array_end;) {
      if (source_.merges.size() == most_listed) refuse("merges", fmt::format("at most {} merges", most_listed));
      if (token == JsonToken::string) {
        source_.merges.push_back(split_merge(in_.text(), source_.merges.size(), source_.name));
        continue;
      }
      if (token != JsonToken::array_begin) refuse_merge();
      const std::string_view left = read_half(), right = read_half();
      if (in_.next() != JsonToken::array_end) refuse_merge();
      source_.merges.push_back({left, right});
    }
  }

  std::string_view read_half() {
    if (in_.next() != JsonToken::string) refuse_merge();
    return in_.text();
  }

  [[noreturn]] void refuse(std::string_view list, std::string_view expected) const {
    io::reject(fmt::format("{}: model.{}", source_.name, list), expected, "another value");
  }
  [[noreturn]] void refuse_merge() const {
    refuse(fmt::format("merges/{}", source_.merges.size()), "[\"left\", \"right\"] or \"left right\"");
  }

  io::JsonReader in_;
  VocabularySource source_;
  TokenList tokens_;
  Json document_;
};

/// What a value of the document must be. Values that are not listed here are refused.
struct Rule {
  const char* path;
  const char* allowed;  // a JSON array of the values
  bool required;
};

// Offsets into the text are not kept, so trim_offsets and the post-processor that moves them are free; and so are the
// options of the decoder, which reads none of them.
constexpr Rule rules[] = {
    {"/version", R"(["1.0"])", false},
    {"/normalizer", "[null]", false},
    {"/pre_tokenizer/type", R"(["Sequence"])", true},
    {"/pre_tokenizer/pretokenizers/0/type", R"(["Digits"])", true},
    {"/pre_tokenizer/pretokenizers/0/individual_digits", "[true]", true},
    {"/pre_tokenizer/pretokenizers/1/type", R"(["ByteLevel"])", true},
    {"/pre_tokenizer/pretokenizers/1/add_prefix_space", "[false]", true},
    {"/pre_tokenizer/pretokenizers/1/trim_offsets", "[true, false]", false},
    {"/pre_tokenizer/pretokenizers/1/use_regex", "[true]", false},
    {"/post_processor", "[null]", false},
    {"/post_processor/type", R"(["ByteLevel", "TemplateProcessing"])", false},
    // transformers 5 saves a template that adds nothing: the text alone. One with a special token has other paths.
    {"/post_processor/single/0/Sequence/id", R"(["A"])", false},
    {"/post_processor/single/0/Sequence/type_id", "[0]", false},
    {"/post_processor/pair/0/Sequence/id", R"(["A"])", false},
    {"/post_processor/pair/0/Sequence/type_id", "[0]", false},
    {"/post_processor/pair/1/Sequence/id", R"(["B"])", false},
    {"/post_processor/pair/1/Sequence/type_id", "[0, 1]", false},
    {"/post_processor/special_tokens", "[null]", false},
    {"/post_processor/add_prefix_space", "[true, false]", false},
    {"/post_processor/trim_offsets", "[true, false]", false},
    {"/post_processor/use_regex", "[true, false]", false},
    {"/decoder/type", R"(["ByteLevel"])", true},
    {"/decoder/add_prefix_space", "[true, false]", false},
    {"/decoder/trim_offsets", "[true, false]", false},
    {"/decoder/use_regex", "[true, false]", false},
    {"/model/type", R"(["BPE"])", true},
    {"/model/dropout", "[null]", false},
    {"/model/unk_token", "[null]", false},
    {"/model/continuing_subword_prefix", R"([null, ""])", false},
    {"/model/end_of_word_suffix", R"([null, ""])", false},
    {"/model/fuse_unk", "[false]", false},
    {"/model/byte_fallback", "[false]", false},
    {"/model/ignore_merges", "[false]", false},
};

constexpr Rule added_token_rules[] = {
    {"/single_word", "[false]", true}, {"/lstrip", "[false]", true},  {"/rstrip", "[false]", true},
    {"/normalized", "[false]", true},  {"/special", "[true]", true},
};

std::string shown(const Json& value) {
  return value.is_structured() ? "another structure"
                               : io::printable(value.dump(-1, ' ', true, Json::error_handler_t::replace));
}

/// Refuses a document that has a value against its rule or without one, or that lacks a required value.
void apply(std::span<const Rule> rules_of, const Json& document, const std::string& where) {
  // By path; an empty object or array within counts as null.
  const Json flat = document.empty() ? Json::object() : document.flatten();
  for (const auto& [path, value] : flat.items()) {
    const auto rule = std::find_if(rules_of.begin(), rules_of.end(),
                                   [&path = path](const Rule& r) { return path == r.path; });
    const std::string thing = fmt::format("{}: {}", where, io::printable(path));
    if (rule == rules_of.end()) io::reject(thing, "no such value", shown(value));
    const Json allowed = Json::parse(rule->allowed);
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) continue;
    io::reject(thing, fmt::format("one of {}", rule->allowed), shown(value));
  }
  for (const Rule& rule : rules_of) {
    if (rule.required && !flat.contains(rule.path)) {
      io::reject(fmt::format("{}: {}", where, rule.path), fmt::format("one of {}", rule.allowed), "nothing");
    }
  }
}

/// The control tokens, which `added`, the document's added_tokens, names by id and content.
void put_added_tokens(const Json& added, TokenList& tokens, const std::string& name) {
  for (std::size_t i = 0; i < added.size(); ++i) {
    const std::string where = fmt::format("{}: added_tokens/{}", name, i);
    const Json& token = added[i];
    if (!token.is_object() || !token.contains("id") || !token["id"].is_number_unsigned() ||
        !token.contains("content") || !token["content"].is_string()) {
      io::reject(where, "an object with id and content", shown(token));
    }
    Json options = token;
    options.erase("id");
    options.erase("content");
    apply(added_token_rules, options, where);
    tokens.put(token["id"], token["content"].get_ref<const std::string&>(), TokenKind::control);
  }
}

}  // namespace

Tokenizer read_tokenizer_json(std::string_view text, const std::string& name) {
  Reader reader(text, name);
  Json options = reader.document();
  if (!options.is_object()) io::reject(name, "a JSON object", shown(options));
  const Json added = options.value("added_tokens", Json::array());
  if (!added.is_array()) io::reject(name + ": added_tokens", "an array", shown(added));
  options.erase("added_tokens");
  // What save_pretrained keeps of the last call: lengths to cut or fill that call's batch to. transformers sets them anew
  // for each call, to none where it names none; so they say nothing about what a text's ids are.
  for (const char* key : {"truncation", "padding"}) {
    const Json& setting = options.value(key, Json());
    if (!setting.is_null() && !setting.is_object()) {
      io::reject(fmt::format("{}: /{}", name, key), "null or an object", shown(setting));
    }
    options.erase(key);
  }
  if (options.contains("model") && options["model"].is_object()) {
    options["model"].erase("vocab");
    options["model"].erase("merges");
  }
  apply(rules, options, name);

  put_added_tokens(added, reader.tokens(), name);
  return Tokenizer(reader.source());
}

}  // namespace lawful::tokenizer
