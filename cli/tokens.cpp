#include "cli/commands.hpp"
#include "cli/interrupt.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/waiting.hpp"
#include "io/bad_input.hpp"
#include "io/utf8.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace lawful::cli {
namespace {

struct Options {
  ModelOption model;
  TextOption text;
  std::vector<std::string> ids;
  bool plain = false, jsonl = false;
};

/// Calls each(line, number) for every line, without its newline; numbers begin at 1.
template <class Each>
void each_line(std::string_view all, Each each) {
  Progress progress("bytes");
  const std::size_t total = all.size();
  for (std::size_t number = 1; !all.empty(); ++number) {
    if (number % 1024 == 0) progress.show(total - all.size(), total);
    const std::size_t end = std::min(all.find('\n'), all.size());
    check_interrupt();
    each(all.substr(0, end), number);
    all.remove_prefix(std::min(end + 1, all.size()));
  }
}

/// A JSON value without nesting deeper than an array of numbers; what is wrong with it names the line.
nlohmann::json parse_line(std::string_view line, std::size_t number, std::string_view expected) {
  const auto shallow = [&](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth > 2) io::reject(fmt::format("line {}", number), expected, "nested JSON");
    return true;
  };
  auto value = nlohmann::json::parse(line, shallow, false);
  if (value.is_discarded()) io::reject(fmt::format("line {}", number), expected, "malformed JSON");
  return value;
}

void tokenize(const Options& o) {
  const auto tokenizer = o.model.open().tokenizer();
  const auto specials = o.plain ? tokenizer::Specials::plain : tokenizer::Specials::parsed;
  if (!o.jsonl) {
    const std::string text = o.text.read("text");
    const auto ids = [&] {
      const Waiting waiting("splitting the text");
      return tokenizer.encode(text, specials);
    }();
    print(fmt::format("{}\n", fmt::join(ids, " ")));
    return;
  }
  const std::string input = o.text.given() && *o.text.text != "-" ? *o.text.text : read_stdin();
  std::string out;
  each_line(input, [&](std::string_view line, std::size_t number) {
    const auto value = parse_line(line, number, "a JSON string");
    if (!value.is_string()) io::reject(fmt::format("line {}", number), "a JSON string", value.type_name());
    out += fmt::format("[{}]\n", fmt::join(tokenizer.encode(value.get_ref<const std::string&>(), specials), ","));
    if (out.size() > (1 << 16)) print(std::exchange(out, {}));
  });
  print(out);
}

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

std::vector<std::uint32_t> ids_of_line(const nlohmann::json& value, std::size_t number, std::size_t vocab) {
  const std::string where = fmt::format("line {}", number), expected = fmt::format("a JSON array of ids below {}", vocab);
  if (!value.is_array()) io::reject(where, expected, value.type_name());
  std::vector<std::uint32_t> ids;
  for (const auto& id : value) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() >= vocab) io::reject(where, expected, id.dump());
    ids.push_back(id.get<std::uint32_t>());
  }
  return ids;
}

void detokenize(const Options& o) {
  const auto tokenizer = o.model.open().tokenizer();
  const bool from_stdin = o.ids.empty() || (o.ids.size() == 1 && o.ids[0] == "-");
  if (o.jsonl) {
    const std::string input = from_stdin ? read_stdin() : fmt::format("{}", fmt::join(o.ids, " "));
    std::string out;
    each_line(input, [&](std::string_view line, std::size_t number) {
      const auto ids = ids_of_line(parse_line(line, number, "a JSON array of ids"), number, tokenizer.size());
      const std::string bytes = tokenizer.decode(ids);
      out += nlohmann::ordered_json{{"hex", hex(bytes)}, {"text", io::replace_invalid_utf8(bytes)}}.dump() + "\n";
      if (out.size() > (1 << 16)) print(std::exchange(out, {}));
    });
    print(out);
    return;
  }
  std::vector<std::string> words = o.ids;
  if (o.ids.empty()) io::reject("ids", "token ids, or - for stdin", "nothing");
  if (from_stdin) {
    words.clear();
    const std::string input = read_stdin();
    for (std::size_t at = 0; (at = input.find_first_not_of(" \t\r\n,", at)) != std::string::npos;) {
      const std::size_t end = std::min(input.find_first_of(" \t\r\n,", at), input.size());
      words.push_back(input.substr(at, end - at));
      at = end;
    }
  }
  std::vector<std::uint32_t> ids;
  for (const auto& word : words)
    ids.push_back(static_cast<std::uint32_t>(whole_number("token id", word, 0, tokenizer.size() - 1)));
  print(tokenizer.decode(ids));
}

}  // namespace

void add_tokenize(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command = *app.add_subcommand("tokenize", "Text to token ids");
  o->text.add_to(command, "TEXT", "the text, or - for stdin");
  command.add_flag("--plain", o->plain, "take special tokens written in the text as ordinary characters");
  command.add_flag("--jsonl", o->jsonl, "read one JSON string a line, write one JSON array of ids a line");
  o->model.add_to(command);
  command.footer("Example: lawful tokenize \"Hello world\"");
  command.callback([o] { tokenize(*o); });
}

void add_detokenize(CLI::App& app) {
  auto o = std::make_shared<Options>();
  auto& command = *app.add_subcommand("detokenize", "Token ids to text: the exact bytes");
  command.add_option("IDS", o->ids, "ids, or - for stdin");
  command.add_flag("--jsonl", o->jsonl, "read one JSON array of ids a line, write {\"hex\", \"text\"} a line");
  o->model.add_to(command);
  command.footer("Example: lawful detokenize 19556 905");
  command.callback([o] { detokenize(*o); });
}

}  // namespace lawful::cli
