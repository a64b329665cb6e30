#include "model/receipt.hpp"

#include "io/bad_input.hpp"
#include "io/json.hpp"
#include "model/sampling_json.hpp"
#include "model/text_stream.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace lawful::model {
namespace {

constexpr std::string_view format = "lawful receipt 2";
static_assert(std::endian::native == std::endian::little, "digests are of little-endian numbers");

template <class T>
std::span<const std::byte> bytes(const std::vector<T>& values) {
  return std::as_bytes(std::span(values));
}

/// A list behind its count, so that no two lists run into each other.
template <class T>
void add_list(io::Sha256& hash, const std::vector<T>& values) {
  const std::uint64_t count = values.size();
  hash.update(std::as_bytes(std::span(&count, 1))).update(bytes(values));
}

void add_text(io::Sha256& hash, const std::string& text) {
  add_list(hash, std::vector<char>(text.begin(), text.end()));
}

const nlohmann::json& field(const nlohmann::json& object, const std::string& name, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) io::reject(name, fmt::format("a field \"{}\"", key), "none");
  return *found;
}

std::uint64_t number(const nlohmann::json& value, const std::string& name, const char* key, std::uint64_t most) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > most)
    io::reject(fmt::format("{}: {}", name, key), fmt::format("a whole number from 0 to {}", most), value.dump());
  return value.get<std::uint64_t>();
}

std::string text(const nlohmann::json& value, const std::string& name, const char* key) {
  if (!value.is_string()) io::reject(fmt::format("{}: {}", name, key), "a string", value.dump());
  return value.get<std::string>();
}

template <class T, class Read>
std::vector<T> list(const nlohmann::json& object, const std::string& name, const char* key, Read read) {
  const auto& values = field(object, name, key);
  if (!values.is_array()) io::reject(fmt::format("{}: {}", name, key), "a list", values.type_name());
  std::vector<T> out;
  for (const auto& value : values) out.push_back(read(value, name, key));
  return out;
}

std::uint32_t id(const nlohmann::json& value, const std::string& name, const char* key) {
  return static_cast<std::uint32_t>(number(value, name, key, 0xffffffffU));
}

std::string digest(const nlohmann::json& value, const std::string& name, const char* key) {
  const std::string hex = text(value, name, key);
  if (hex.size() != 64 || hex.find_first_not_of("0123456789abcdef") != std::string::npos)
    io::reject(fmt::format("{}: {}", name, key), "a SHA-256 of 64 hexadecimal digits", value.dump());
  return hex;
}

/// Of a receipt, which leaves none out.
Sampling all_of_sampling(const nlohmann::json& receipt, const std::string& name) {
  const auto& object = field(receipt, name, "sampling");
  const Sampling s = read_sampling(object, name + ": sampling");
  const auto all = to_json(s);
  for (const auto& setting : all.items()) field(object, name + ": sampling", setting.key().c_str());
  return s;
}

bool is_end(const Receipt& r, std::uint32_t chosen) { return std::ranges::find(r.eos, chosen) != r.eos.end(); }

/// What can be seen without a model: counts, and that it ended where its limits say.
void require_sound(const Receipt& r) {
  const auto reject = [](std::string_view what, std::string_view expected, const std::string& found) {
    io::reject(fmt::format("receipt: {}", what), expected, found);
  };
  if (r.prompt.empty()) reject("prompt_ids", "at least one", "none");
  const std::size_t choices = r.ids.size() + (r.stop == name(Stop::eos) ? 1 : 0);
  if (r.steps.size() != choices) reject("steps", fmt::to_string(choices), fmt::to_string(r.steps.size()));
  if (std::ranges::any_of(r.ids, [&](auto i) { return is_end(r, i); })) reject("ids", "none that ends a text", "one");
  const bool filled = r.prompt.size() + r.ids.size() == r.context + 1, counted = r.ids.size() == r.tokens;
  const bool ended = r.stop == name(Stop::eos) ? r.ids.size() < r.tokens
                     : r.stop == name(Stop::stop)  ? !r.ids.empty() && r.ids.size() <= r.tokens
                     : r.stop == name(Stop::context) ? filled && !counted
                                                     : r.stop == name(Stop::length) && counted;
  if (!ended || r.prompt.size() + r.ids.size() > r.context + 1)
    reject("stop", "\"eos\", \"length\", \"context\" or \"stop\", as its ids, tokens and context say",
           fmt::format("\"{}\" after {} ids", r.stop, r.ids.size()));
}

/// Compares one choice after the other.
class Comparison {
 public:
  explicit Comparison(const Receipt& receipt)
      : receipt_(receipt), chain_(receipt), chooser_(receipt.sampling, receipt.prompt) {}

  void next(std::span<const float> logits) {
    const std::string found = chain_.add(logits);
    const std::size_t position = receipt_.prompt.size() + step_;
    const std::uint32_t chosen = chooser_.choose(logits);
    if (found != receipt_.steps[step_])
      throw io::Failure(fmt::format("receipt: step {} (position {}): expected the digest {}, found {}; {} the same bits",
                                    step_, position, receipt_.steps[step_], found,
                                    step_ == 0 ? "no step has" : "all steps before it have"));
    const bool ends = step_ == receipt_.ids.size();
    if (ends ? !is_end(receipt_, chosen) : chosen != receipt_.ids[step_])
      throw io::Failure(fmt::format("receipt: step {} (position {}): expected the id {}, found {}", step_, position,
                                    ends ? "of an end" : fmt::to_string(receipt_.ids[step_]), chosen));
    chooser_.append(chosen);
    ++step_;
  }

 private:
  const Receipt& receipt_;
  ReceiptChain chain_;
  Chooser chooser_;
  std::size_t step_ = 0;
};

}  // namespace

std::vector<std::string> file_digests(const Checkpoint& checkpoint) {
  std::vector<std::string> out;
  for (const auto& file : checkpoint.files()) out.push_back(io::hex(io::sha256(file.bytes())));
  return out;
}

ReceiptChain::ReceiptChain(const Receipt& r) {
  io::Sha256 hash;
  add_text(hash, std::string(format));
  add_text(hash, r.model);
  for (const auto& file : r.files) add_text(hash, file);
  for (const auto* ids : {&r.prompt, &r.eos}) add_list(hash, *ids);
  add_list(hash, std::vector<std::uint64_t>{r.tokens, r.context});
  const Sampling& s = r.sampling;
  add_list(hash, std::vector<double>{s.temperature, s.top_p, s.min_p, s.repetition_penalty});
  add_list(hash, std::vector<std::uint64_t>{s.top_k, s.seed});
  for (const auto& stop : r.stop_texts) add_text(hash, stop);
  last_ = hash.finish();
}

std::string ReceiptChain::add(std::span<const float> logits) {
  last_ = io::Sha256().update(std::as_bytes(std::span(last_))).update(std::as_bytes(logits)).finish();
  return io::hex(last_);
}

std::string to_json(const Receipt& r) {
  const nlohmann::ordered_json out{{"format", format},     {"model", r.model},     {"files", r.files},
                                   {"tokens", r.tokens},   {"context", r.context}, {"eos", r.eos},
                                   {"sampling", to_json(r.sampling)}, {"stop_texts", r.stop_texts},
                                   {"prompt_ids", r.prompt}, {"ids", r.ids},       {"stop", r.stop},
                                   {"steps", r.steps}};
  return out.dump() + "\n";
}

Receipt read_receipt(std::string_view source, const std::string& name) {
  const auto object = io::parse_json(source, name);
  if (!object.is_object()) io::reject(name, "an object", object.type_name());
  if (const auto found = text(field(object, name, "format"), name, "format"); found != format)
    io::reject(name + ": format", fmt::format("\"{}\"", format), object["format"].dump());
  constexpr std::uint64_t most = 1U << 31U;
  Receipt r;
  r.model = text(field(object, name, "model"), name, "model");
  r.files = list<std::string>(object, name, "files", digest);
  r.prompt = list<std::uint32_t>(object, name, "prompt_ids", id);
  r.ids = list<std::uint32_t>(object, name, "ids", id);
  r.eos = list<std::uint32_t>(object, name, "eos", id);
  r.tokens = number(field(object, name, "tokens"), name, "tokens", most);
  r.context = number(field(object, name, "context"), name, "context", most);
  r.stop = text(field(object, name, "stop"), name, "stop");
  r.sampling = all_of_sampling(object, name);
  r.stop_texts = list<std::string>(object, name, "stop_texts", text);
  r.steps = list<std::string>(object, name, "steps", digest);
  return r;
}

void require_stop_text(const Receipt& r, const tokenizer::Tokenizer& tokenizer) {
  TextStream text(tokenizer, r.stop_texts);
  for (std::size_t i = 0; i < r.ids.size(); ++i) {
    text.push(r.ids[i]);
    const bool last = i + 1 == r.ids.size();
    if (text.stopped() && !(last && r.stop == name(Stop::stop)))
      io::reject("receipt: ids", "no id after a stop text, and \"stop\" as the reason",
                 fmt::format("a stop text at id {} of {}, and \"{}\"", i, r.ids.size(), r.stop));
  }
  if (r.stop == name(Stop::stop) && !text.stopped())
    io::reject("receipt: stop", "another reason, since the text holds no stop text", "\"stop\"");
}

void verify(const Receipt& r, const Config& config, std::span<const std::string> files, Sequence& sequence,
            std::size_t chunk, const std::function<void(std::size_t)>& between) {
  require_sound(r);
  if (r.model != config.name) io::reject("receipt: model", config.name, r.model);
  if (!std::ranges::equal(r.files, files)) {
    const auto shown = [](const auto& digests) { return fmt::format("{}", fmt::join(digests, ", ")); };
    io::reject("the model's files", "those of the receipt, " + shown(r.files), shown(files));
  }
  std::vector<std::uint32_t> all = r.prompt;
  all.insert(all.end(), r.ids.begin(), r.ids.end());
  if (r.stop != name(Stop::eos) && !r.ids.empty()) all.pop_back();  // nothing was chosen after it
  const std::size_t first = r.prompt.size() - 1;                    // the row that the first choice was made from
  Comparison comparison(r);
  for (std::size_t done = 0; done < all.size() && !r.steps.empty();) {
    const auto piece = std::span(all).subspan(done, std::min(chunk, all.size() - done));
    done += piece.size();
    const std::size_t wanted = done > first ? std::min(done - first, piece.size()) : 0;
    const Logits logits = sequence.append(piece, wanted);
    for (std::size_t row = 0; row < wanted; ++row) comparison.next(logits.row(row));
    between(done);
  }
}

}  // namespace lawful::model
