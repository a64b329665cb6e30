#include "model/conversation.hpp"

#include "io/bad_input.hpp"
#include "io/utf8.hpp"
#include "model/text_stream.hpp"

#include <algorithm>

namespace lawful::model {

Answer Conversation::answer(std::vector<Message> asked, const Limits& wanted, const std::vector<std::string>& stops,
                            const AnswerWatcher& watcher) {
  const auto ids = form_.encode(asked, true);
  if (ids.size() > capacity_)
    io::reject("the conversation", fmt::format("at most {} tokens, the positions of the context", capacity_),
               fmt::to_string(ids.size()));
  TextStream text(tokenizer_, stops);
  Message made{Role::assistant, {}, {}};
  Answer out;
  const auto is_ordinary = [&](tokenizer::Id id) {
    return tokenizer_.vocabulary().kind(id) == tokenizer::TokenKind::normal;
  };
  const auto show = [&](const std::string& piece) {
    made.content += piece;
    if (!piece.empty()) watcher.text(piece);
  };
  Limits limits = wanted;
  limits.eos.push_back(form_.end());
  limits.stopped = [&] { return text.stopped(); };
  limits.chosen_from = {};
  try {
    auto logits = kept_.prefill(ids, chunk_, [&](std::size_t held) { watcher.reading(held, ids.size()); });
    const auto generated = generate(sequence_, ids, std::move(logits), limits, [&](std::uint32_t id) {
      kept_.goes_on(id);
      made.ids.push_back(id);
      show(text.push(id));
    });
    show(text.finish());
    out.stop = generated.stop;
  } catch (const AnswerStopped&) {
    if (made.ids.empty()) return out;  // the messages are as they were
    made.content = tokenizer_.decode(made.ids);
  }
  out.tokens = made.ids.size();
  out.kept = kept_.kept();
  // The content is what was shown. Its ids are kept where they are its own: not where a stop text cut it, nor where the
  // model wrote a special token, which is text from now on.
  if (out.stop == Stop::stop || !std::ranges::all_of(made.ids, is_ordinary)) made.ids.clear();
  made.content = io::replace_invalid_utf8(made.content);
  messages_ = std::move(asked);
  messages_.push_back(std::move(made));
  return out;
}

Answer Conversation::say(const std::string& content, const Limits& limits, const std::vector<std::string>& stops,
                         const AnswerWatcher& watcher) {
  if (content.empty()) io::reject("message", "a text of at least one character", "an empty one");
  io::require_utf8(content, "message");
  auto asked = messages_;
  asked.push_back({Role::user, content});
  return answer(std::move(asked), limits, stops, watcher);
}

Answer Conversation::retry(const Limits& limits, const std::vector<std::string>& stops, const AnswerWatcher& watcher) {
  auto asked = messages_;
  if (!asked.empty() && asked.back().role == Role::assistant) asked.pop_back();
  if (asked.empty() || asked.back().role != Role::user) io::reject("/retry", "a message to answer", "none");
  return answer(std::move(asked), limits, stops, watcher);
}

void Conversation::set_system(const std::string& content) {
  io::require_utf8(content, "system message");
  if (messages_.empty() || messages_.front().role != Role::system) messages_.insert(messages_.begin(), {Role::system, {}});
  messages_.front().content = content;
}

void Conversation::reset() {
  std::erase_if(messages_, [](const Message& m) { return m.role != Role::system; });
}

void Conversation::load(std::vector<Message> messages, const std::string& place) {
  require_own_ids(messages, tokenizer_, place);
  messages_ = std::move(messages);
}

}  // namespace lawful::model
