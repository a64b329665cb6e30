#include "model/message.hpp"

namespace lawful::model {

std::string_view name(Role role) {
  switch (role) {
    case Role::system: return "system";
    case Role::user: return "user";
    case Role::assistant: return "assistant";
  }
  return "";
}

}  // namespace lawful::model
