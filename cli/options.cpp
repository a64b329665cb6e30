#include "cli/options.hpp"

#include "cli/clock.hpp"
#include "cli/interrupt.hpp"
#include "cli/output.hpp"
#include "cli/waiting.hpp"
#include "io/bad_input.hpp"
#include "io/available_memory.hpp"
#include "io/printable.hpp"
#include "io/utf8.hpp"
#include "kernels/isa.hpp"
#include "kernels/team.hpp"
#include "model/generate.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace lawful::cli {

std::string default_model_path() {
  if (const char* path = std::getenv("LAWFUL_MODEL"); path != nullptr && *path != '\0') return path;
  const char* name = "/lawful/SmolLM2-135M-Instruct.Q4_1.gguf";
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0')
    return std::string(cache) + name;
  const char* home = std::getenv("HOME");
  return std::string(home != nullptr ? home : "") + "/.cache" + name;
}

std::uint64_t whole_number(std::string_view option, const std::string& text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most)
    io::reject(option, fmt::format("a whole number from {} to {}", least, most), io::printable(text));
  return value;
}

std::vector<std::uint32_t> id_list(std::string_view option, std::string_view text) {
  std::vector<std::uint32_t> ids;
  while (true) {
    const std::size_t comma = text.find(',');
    ids.push_back(static_cast<std::uint32_t>(
        whole_number(option, std::string(text.substr(0, comma)), 0, std::numeric_limits<std::uint32_t>::max())));
    if (comma == std::string_view::npos) return ids;
    text.remove_prefix(comma + 1);
  }
}

void ModelOption::add_to(CLI::App& command) {
  command.add_option("-m,--model", path,
                     "GGUF file, safetensors file or Hugging Face folder (default: SmolLM2-135M-Instruct)")
      ->type_name("FILE")
      ->each([](const std::string& value) {  // not the default model: a variable of a script may be unset
        if (value.empty()) io::reject("--model", "a file or a folder", "an empty name");
      });
  command.add_flag("--copy-model", copy, "read the model into memory first: for a file that may change meanwhile");
}

model::Checkpoint ModelOption::open() const {
  const std::string from = path.empty() ? default_model_path() : path;
  if (path.empty() && ::access(from.c_str(), F_OK) != 0)
    io::reject("the default model", fmt::format("{} (./lawful fetches it; -m names another)", from), "no such file");
  auto checkpoint = [&] {
    const Waiting waiting("opening the model");
    return model::Checkpoint::open(from, copy ? io::Access::copied : io::Access::mapped);
  }();
  warn(checkpoint.warnings());
  return checkpoint;
}

void RunOptions::add_to(CLI::App& command) {
  command.add_option("-t,--threads", threads, "threads, 1 to 1024 (default: the processors of the affinity mask)")->type_name("N");
  command.add_option("--isa", isa, "instruction set (default: the machine's best); the results are the same")
      ->type_name(fmt::format("{}", fmt::join(kernels::instruction_sets(), "|")));
  command.add_option("--chunk", chunk, "compute the prompt in pieces of N tokens; the results are the same")->type_name("N");
  command.add_option("--context", context, "positions of the KV cache (default: the model's context)")->type_name("N");
}

void RunOptions::use_machine() const {
  if (!threads.empty())
    kernels::use_threads(static_cast<int>(whole_number("--threads", threads, 1, kernels::most_threads)));
  if (!isa.empty() && !kernels::use_instruction_set(isa)) {
    std::string here;
    for (const auto name : kernels::instruction_sets()) here += (here.empty() ? "" : ", ") + std::string(name);
    io::reject("--isa", "one of " + here, io::printable(isa));
  }
}

std::size_t RunOptions::context_of(const model::Model& model) const {
  const std::size_t most = model.config().context, memory = io::available_memory();
  const std::size_t wanted = context.empty() ? most : whole_number("--context", context, 1, most);
  if (model.cache_bytes(wanted) <= memory) return wanted;
  const std::size_t fitting = memory / model.cache_bytes(1);
  const auto megabytes = [](std::size_t bytes) { return static_cast<double>(bytes) / 1e6; };
  if (!context.empty() || fitting == 0)
    io::reject("--context", fmt::format("at most {} positions, which fit in the {:.0f} MB of memory that are left", fitting,
                                        megabytes(memory)),
               fmt::format("{}, which take {:.0f} MB", wanted, megabytes(model.cache_bytes(wanted))));
  tell_formatted("lawful: the context of {} positions takes {:.0f} MB, {:.0f} MB are left: {} positions are used\n", wanted,
                 megabytes(model.cache_bytes(wanted)), megabytes(memory), fitting);
  return fitting;
}

std::size_t RunOptions::chunk_of(const model::Config& config) const {
  return chunk.empty() ? model::default_chunk(config) : whole_number("--chunk", chunk, 1, config.context);
}

void TextOption::add_to(CLI::App& command, const std::string& name, const std::string& what) {
  command.add_option_function<std::string>(name, [this](const std::string& value) { text = value; }, what);
}

std::string TextOption::read(std::string_view name) const {
  if (!text) io::reject(name, "a text, or - for stdin", "nothing");
  std::string bytes = *text == "-" ? read_stdin() : *text;
  io::require_utf8(bytes, name);
  return bytes;
}

void PromptOption::add_to(CLI::App& command) {
  text.add_to(command, "PROMPT", "the text, or - for stdin");
  command.add_option_function<std::string>("--ids", [this](const std::string& value) { ids = value; },
                                           "token ids instead of a text: 1,2,3");
}

std::vector<std::uint32_t> PromptOption::read(const tokenizer::Tokenizer& tokenizer) const {
  if (ids && text.given()) io::reject("prompt", "a text or --ids", "both");
  auto out = ids ? id_list("--ids", *ids) : tokenizer.encode(text.read("prompt"));
  if (out.empty()) io::reject("prompt", "a text of at least one token", "none");
  for (const auto id : out)
    if (id >= tokenizer.size())
      io::reject("--ids", fmt::format("ids from 0 to {}", tokenizer.size() - 1), fmt::to_string(id));
  return out;
}

std::string read_stdin() {
  std::string out;
  char piece[1 << 16];
  while (true) {
    const ssize_t got = ::read(STDIN_FILENO, piece, sizeof piece);
    check_interrupt();
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io::BadInput(fmt::format("stdin: cannot be read: {}", std::strerror(errno)));
    if (got == 0) return out;
    out.append(piece, static_cast<std::size_t>(got));
  }
}

Loaded load(const ModelOption& from, const RunOptions& run) {
  const double begun = seconds();
  run.use_machine();
  auto checkpoint = from.open();
  auto tokenizer = checkpoint.tokenizer();
  auto model = model::Model::load(checkpoint);
  auto sequence = model->sequence(run.context_of(*model));
  const std::size_t chunk = run.chunk_of(model->config());
  check_interrupt();
  return {std::move(checkpoint), std::move(tokenizer), std::move(model), std::move(sequence), chunk,
          seconds() - begun};
}

}  // namespace lawful::cli
