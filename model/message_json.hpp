// Messages in the JSON that tools exchange them in.
#pragma once
#include "model/message.hpp"

#include <nlohmann/json_fwd.hpp>

namespace lawful::model {

/// [{"role": …, "content": …}, …]; with "ids" where a message has some. One message a line, and a newline at the end.
std::string to_json(const std::vector<Message>& messages);

/// Reads them: at least one, a system message only as the first, ids only of answers. Fields of other names are not
/// looked at. io::BadInput naming `place`, the message by its index and the field.
std::vector<Message> read_messages(const nlohmann::json& list, const std::string& place);

}  // namespace lawful::model
