#include "model/chat_template.hpp"

#include "io/bad_input.hpp"
#include "io/printable.hpp"

#include <array>

namespace lawful::model {

struct ChatTemplate::Known {
  std::string_view name;
  std::optional<std::string_view> system;  ///< where none is given
  std::string_view text;                   ///< as the published files have it
};

namespace {

constexpr std::string_view smollm2_system = "You are a helpful AI assistant named SmolLM, trained by Hugging Face";

/// Files write \n in the template's strings as a newline or as backslash and n, which mean the same to Jinja, and one
/// newline at the end of a template is none.
std::string canonical(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escaped = text.substr(at, 2) == "\\n";
    out += escaped ? '\n' : text[at];
    at += escaped ? 1 : 0;
  }
  return out;
}

}  // namespace

const ChatTemplate::Known& ChatTemplate::find(const Checkpoint& checkpoint, const std::optional<std::string>& chosen) {
  static constexpr std::array<Known, 2> all{
      {{"smollm2", smollm2_system,
        "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\n"
        "You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif %}"
        "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"},
       {"chatml", std::nullopt,
        "{% for message in messages %}"
        "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"}}};
  if (chosen) {
    for (const Known& known : all)
      if (known.name == *chosen) return known;
    io::reject("--template", "smollm2 or chatml", io::quoted(*chosen));
  }
  const auto& text = checkpoint.chat_template();
  if (text)
    for (const Known& known : all)
      if (known.text == canonical(*text)) return known;
  io::reject(io::printable(checkpoint.path()) + ": chat template",
             "SmolLM2's or ChatML's (--template smollm2 or --template chatml chooses one)",
             text ? "another: " + io::quoted(text->substr(0, 60)) : "none, as in a base model");
}

ChatTemplate::ChatTemplate(const Checkpoint& checkpoint, const tokenizer::Tokenizer& tokenizer,
                           const std::optional<std::string>& chosen)
    : known_(find(checkpoint, chosen)), tokenizer_(tokenizer), begin_(special("<|im_start|>")),
      end_(special("<|im_end|>")) {}

tokenizer::Id ChatTemplate::special(std::string_view text) const {
  const auto ids = tokenizer_.encode(text);
  if (ids.size() != 1 || tokenizer_.vocabulary().kind(ids[0]) != tokenizer::TokenKind::control)
    io::reject("tokenizer", fmt::format("the special token {}, for the chat template {}", text, known_.name), "none");
  return ids[0];
}

std::string_view ChatTemplate::name() const { return known_.name; }
std::optional<std::string_view> ChatTemplate::default_system() const { return known_.system; }

void ChatTemplate::add_plain(std::vector<tokenizer::Id>& ids, std::string_view text) const {
  const auto more = tokenizer_.encode(text, tokenizer::Specials::plain);
  ids.insert(ids.end(), more.begin(), more.end());
}

void ChatTemplate::add(std::vector<tokenizer::Id>& ids, const Message& message) const {
  // Role and content are one text between two special tokens: a content that begins with a newline joins the one
  // before it. An answer's own ids stand behind the ids that it was made from.
  const std::string head = std::string(model::name(message.role)) + "\n";
  ids.push_back(begin_);
  add_plain(ids, message.ids.empty() ? head + message.content : head);
  ids.insert(ids.end(), message.ids.begin(), message.ids.end());
  ids.push_back(end_);
  add_plain(ids, "\n");
}

std::vector<tokenizer::Id> ChatTemplate::encode(std::span<const Message> messages, bool answer) const {
  std::vector<tokenizer::Id> ids;
  if (known_.system && !messages.empty() && messages.front().role != Role::system)
    add(ids, {Role::system, std::string(*known_.system)});
  for (const auto& message : messages) add(ids, message);
  if (answer) {
    ids.push_back(begin_);
    add_plain(ids, "assistant\n");
  }
  return ids;
}

}  // namespace lawful::model
