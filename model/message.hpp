// A conversation as messages.
#pragma once
#include "tokenizer/tokenizer.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace lawful::model {

enum class Role { system, user, assistant };
std::string_view name(Role role);

struct Message {
  Role role;
  std::string content;              ///< valid UTF-8
  std::vector<tokenizer::Id> ids{}; ///< of an answer: as the model made it; empty: the content is encoded

  friend bool operator==(const Message&, const Message&) = default;
};

/// io::BadInput, naming `place`, where ids are not those of the content beside them, or one is a special token: what a
/// message holds is text, however it is written.
void require_own_ids(const std::vector<Message>& messages, const tokenizer::Tokenizer& tokenizer, const std::string& place);

}  // namespace lawful::model
