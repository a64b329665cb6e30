#include "model/message.hpp"

#include "io/bad_input.hpp"
#include "io/utf8.hpp"

#include <algorithm>

namespace lawful::model {

std::string_view name(Role role) {
  switch (role) {
    case Role::system: return "system";
    case Role::user: return "user";
    case Role::assistant: return "assistant";
  }
  return "";
}

void require_own_ids(const std::vector<Message>& messages, const tokenizer::Tokenizer& tokenizer, const std::string& place) {
  const auto is_ordinary = [&](tokenizer::Id id) {
    return id < tokenizer.size() && tokenizer.vocabulary().kind(id) == tokenizer::TokenKind::normal;
  };
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const auto& m = messages[i];
    const bool ordinary = std::ranges::all_of(m.ids, is_ordinary);
    if (!m.ids.empty() && (!ordinary || io::replace_invalid_utf8(tokenizer.decode(m.ids)) != m.content))
      io::reject(fmt::format("{}: message {}: ids", place, i), "those of its content, without special tokens", "others");
  }
}

}  // namespace lawful::model
