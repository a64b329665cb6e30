#include "model/message_json.hpp"

#include "io/bad_input.hpp"
#include "io/printable.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace lawful::model {
namespace {

constexpr std::array roles{Role::system, Role::user, Role::assistant};

const nlohmann::json& field(const nlohmann::json& message, const std::string& place, const char* key) {
  const auto found = message.find(key);
  if (found == message.end() || !found->is_string())
    io::reject(fmt::format("{}: {}", place, key), "a string",
               found == message.end() ? "none" : io::printable(found->dump(), 60));
  return *found;
}

Role read_role(const nlohmann::json& message, const std::string& place) {
  const auto text = field(message, place, "role").get<std::string>();
  for (const Role role : roles)
    if (name(role) == text) return role;
  io::reject(place + ": role", "system, user or assistant", io::quoted(text));
}

std::vector<tokenizer::Id> read_ids(const nlohmann::json& message, const std::string& place) {
  std::vector<tokenizer::Id> out;
  const auto found = message.find("ids");
  if (found == message.end()) return out;
  if (!found->is_array()) io::reject(place + ": ids", "a list", found->type_name());
  for (const auto& id : *found) {
    if (!id.is_number_unsigned() || id.get<std::uint64_t>() > 0xffffffffU)
      io::reject(place + ": ids", "token ids", io::printable(id.dump(), 60));
    out.push_back(id.get<tokenizer::Id>());
  }
  return out;
}

}  // namespace

std::string to_json(const std::vector<Message>& messages) {
  std::string out = "[";
  for (const auto& m : messages) {
    nlohmann::ordered_json one{{"role", name(m.role)}, {"content", m.content}};
    if (!m.ids.empty()) one["ids"] = m.ids;
    out += (out.size() == 1 ? "\n" : ",\n") + one.dump();
  }
  return out + "\n]\n";
}

std::vector<Message> read_messages(const nlohmann::json& list, const std::string& place) {
  if (!list.is_array() || list.empty())
    io::reject(place, "a list of at least one message", list.is_array() ? "an empty list" : list.type_name());
  std::vector<Message> out;
  for (const auto& one : list) {
    const std::string here = fmt::format("{}: message {}", place, out.size());
    if (!one.is_object()) io::reject(here, "an object", one.type_name());
    Message message{read_role(one, here), field(one, here, "content").get<std::string>(), read_ids(one, here)};
    if (message.role == Role::system && !out.empty())
      io::reject(here + ": role", "user or assistant after the first message", "'system'");
    if (message.role != Role::assistant && !message.ids.empty())
      io::reject(here + ": ids", "none but of an assistant's message", "some");
    out.push_back(std::move(message));
  }
  return out;
}

}  // namespace lawful::model
