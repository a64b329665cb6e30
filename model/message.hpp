// A conversation as messages.
#pragma once
#include "tokenizer/vocabulary.hpp"

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

}  // namespace lawful::model
