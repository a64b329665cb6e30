// A conversation with a model: messages, and the cache that is kept from turn to turn.
#pragma once
#include "model/chat_template.hpp"
#include "model/generate.hpp"
#include "model/kept_text.hpp"
#include "model/message.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lawful::model {

/// Thrown by a callback of Conversation to end an answer where it is.
struct AnswerStopped {};

/// What somebody who waits for an answer sees of it. Either may throw AnswerStopped.
struct AnswerWatcher {
  std::function<void(std::size_t held, std::size_t of)> reading;  ///< the conversation is computed up to there
  std::function<void(std::string_view)> text;                     ///< the answer goes on
};

struct Answer {
  std::optional<Stop> stop;  ///< why it ended; nothing: AnswerStopped
  std::size_t tokens = 0;
  std::size_t kept = 0;      ///< positions that were not computed again
};

class Conversation {
 public:
  /// In `sequence`, which holds nothing; prompts are computed in pieces of `chunk`. All must outlive it.
  Conversation(Sequence& sequence, const tokenizer::Tokenizer& tokenizer, const ChatTemplate& form, std::size_t chunk)
      : tokenizer_(tokenizer), form_(form), capacity_(sequence.capacity()), chunk_(chunk), sequence_(sequence),
        kept_(sequence) {}

  const std::vector<Message>& messages() const { return messages_; }

  /// Adds a user's message and the model's answer to it. `limits` says how (seen by the callbacks of `watcher`, its
  /// own are not looked at); the text ends before one of `stops`. An answer that was stopped stays as far as it came;
  /// one that was stopped before its first token does not, nor does the message. io::BadInput, and nothing has
  /// changed, where the message is empty or the conversation longer than the context.
  Answer say(const std::string& content, const Limits& limits, const std::vector<std::string>& stops,
             const AnswerWatcher& watcher);
  /// Answers the last message of the user again. io::BadInput where there is none.
  Answer retry(const Limits& limits, const std::vector<std::string>& stops, const AnswerWatcher& watcher);

  /// The first message from now on.
  void set_system(const std::string& content);
  /// Forgets all messages but the system message.
  void reset();
  /// Takes other messages. io::BadInput, naming `place`, where ids are not those of the content beside them.
  void load(std::vector<Message> messages, const std::string& place);

 private:
  Answer answer(std::vector<Message> asked, const Limits& limits, const std::vector<std::string>& stops,
                const AnswerWatcher& watcher);

  const tokenizer::Tokenizer& tokenizer_;
  const ChatTemplate& form_;
  std::size_t capacity_, chunk_;
  Sequence& sequence_;
  KeptText kept_;
  std::vector<Message> messages_;
};

}  // namespace lawful::model
