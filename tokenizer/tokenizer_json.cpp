#include "tokenizer/tokenizer_json.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "io/bad_input.hpp"
#include "io/printable.hpp"

namespace lawful::tokenizer {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_depth = 64;

/// Takes a tokenizer.json apart while it is read: the two long lists become views, all else a small document.
/// (Functions named as nlohmann-json's SAX interface wants them. No recursion: the parser keeps its own stack.)
class Reader {
 public:
  struct Entry {
    std::string_view token;
    std::uint64_t id;
  };

  Reader(std::string_view text, const std::string& name) : name_(name) {
    strings_.reserve(text.size());  // unescaped strings are no longer than the text, so that views into it stay good
    Json::sax_parse(text.begin(), text.end(), this);
  }

  const std::vector<Entry>& vocab() const { return vocab_; }
  const std::vector<Merge>& merges() const { return merges_; }
  const Json& rest() const { return rest_; }

  bool null() { return value(nullptr); }
  bool boolean(bool b) { return value(b); }
  bool number_integer(std::int64_t n) { return value(n); }
  bool number_float(double x, const std::string&) { return value(x); }
  bool binary(Json::binary_t&) { return false; }
  bool number_unsigned(std::uint64_t n) {
    if (part_ != Part::vocab) return value(n);
    vocab_.push_back({token_, n});
    return true;
  }
  bool string(std::string& s) {
    if (part_ != Part::merges) return value(s);
    if (open_.size() == merges_depth_ + 1) {
      halves_.push_back(keep(s));
    } else {
      merges_.push_back(split_merge(keep(s), merges_.size(), name_));
    }
    return true;
  }
  bool key(std::string& k) {
    if (part_ == Part::vocab) {
      token_ = keep(k);
    } else {
      if (open_.back()->contains(k)) io::reject(name_, "each key once", io::quoted(k) + " twice");
      key_ = k;
    }
    return true;
  }
  bool start_object(std::size_t) {
    if (part_ != Part::rest) wrong_element();
    const bool vocab = at_model_key("vocab");
    open(Json::object());
    if (vocab) part_ = Part::vocab;
    return true;
  }
  bool end_object() { return close(); }
  bool start_array(std::size_t) {
    if (part_ == Part::vocab) wrong_element();
    if (part_ == Part::merges) {
      if (open_.size() != merges_depth_) wrong_element();
      open_.push_back(nullptr);
      return true;
    }
    const bool merges = at_model_key("merges");
    open(Json::array());
    if (merges) part_ = Part::merges;
    return true;
  }
  bool end_array() {
    if (part_ == Part::merges && open_.back() == nullptr) {
      if (halves_.size() != 2) wrong_element();
      merges_.push_back({halves_[0], halves_[1]});
      halves_.clear();
      open_.pop_back();
      return true;
    }
    return close();
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception&) {
    io::reject(name_, "JSON", fmt::format("an error at byte {}", position));
  }

 private:
  enum class Part { rest, vocab, merges };
  static constexpr std::size_t merges_depth_ = 3;  // document, model, merges

  [[noreturn]] void wrong_element() const {
    if (part_ == Part::vocab) io::reject(name_ + ": model.vocab", "token: id", "another value");
    io::reject(fmt::format("{}: model.merges: element {}", name_, merges_.size()),
               "[\"left\", \"right\"] or \"left right\"", "another value");
  }

  bool at_model_key(std::string_view key) const {
    return open_.size() == 2 && key_ == key && open_.back()->is_object() && rest_.contains("model") &&
           &rest_["model"] == open_.back();
  }

  std::string_view keep(const std::string& s) {
    const std::size_t begin = strings_.size();
    strings_ += s;
    return std::string_view(strings_).substr(begin);
  }

  Json* put(Json v) {
    if (open_.empty()) return &(rest_ = std::move(v));
    Json& parent = *open_.back();
    if (parent.is_array()) return &parent.emplace_back(std::move(v));
    return &(parent[key_] = std::move(v));
  }

  bool value(Json v) {
    if (part_ != Part::rest) wrong_element();
    put(std::move(v));
    return true;
  }

  void open(Json v) {
    if (open_.size() == most_depth) io::reject(name_, fmt::format("at most {} levels", most_depth), "more");
    open_.push_back(put(std::move(v)));
  }

  bool close() {
    part_ = Part::rest;
    open_.pop_back();
    return true;
  }

  std::string name_, strings_;
  Part part_ = Part::rest;
  std::vector<Entry> vocab_;
  std::vector<Merge> merges_;
  Json rest_;
  std::vector<Json*> open_;  // the containers that are open, the outermost first; a null one is a merge's pair
  std::string key_;
  std::string_view token_;
  std::vector<std::string_view> halves_;
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
    {"/truncation", "[null]", false},
    {"/padding", "[null]", false},
    {"/normalizer", "[null]", false},
    {"/pre_tokenizer/type", R"(["Sequence"])", true},
    {"/pre_tokenizer/pretokenizers/0/type", R"(["Digits"])", true},
    {"/pre_tokenizer/pretokenizers/0/individual_digits", "[true]", true},
    {"/pre_tokenizer/pretokenizers/1/type", R"(["ByteLevel"])", true},
    {"/pre_tokenizer/pretokenizers/1/add_prefix_space", "[false]", true},
    {"/pre_tokenizer/pretokenizers/1/trim_offsets", "[true, false]", false},
    {"/pre_tokenizer/pretokenizers/1/use_regex", "[true]", false},
    {"/post_processor", "[null]", false},
    {"/post_processor/type", R"(["ByteLevel"])", false},
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
  const Json flat = document.flatten();  // by path; an empty object or array counts as null
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

/// The tokens by id, out of the vocabulary and the added tokens together.
class TokenList {
 public:
  TokenList(VocabularySource& source, std::size_t most) : source_(source) {
    source_.tokens.reserve(most);
    most_ = most;
  }

  void put(std::uint64_t id, std::string_view token, TokenKind kind) {
    if (id >= most_) io::reject(thing(id), fmt::format("an id below {}, the number of tokens", most_), "more");
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
  std::size_t most_ = 0;
};

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
  const Reader reader(text, name);
  Json options = reader.rest();
  if (!options.is_object()) io::reject(name, "a JSON object", shown(options));
  const Json added = options.value("added_tokens", Json::array());
  if (!added.is_array()) io::reject(name + ": added_tokens", "an array", shown(added));
  options.erase("added_tokens");
  if (options.contains("model") && options["model"].is_object()) {
    options["model"].erase("vocab");
    options["model"].erase("merges");
  }
  apply(rules, options, name);

  VocabularySource source;
  source.name = name;
  source.merges = reader.merges();
  TokenList tokens(source, reader.vocab().size() + added.size());
  for (const auto& [token, id] : reader.vocab()) tokens.put(id, token, TokenKind::normal);
  put_added_tokens(added, tokens, name);
  return Tokenizer(source);
}

}  // namespace lawful::tokenizer
