// A place for what would be lost when the terminal goes away.
#pragma once
#include <string>
#include <string_view>

namespace lawful::cli {

/// Writes `text` to a new file chat-DATE-PROCESS.json in the user's folder for states, $XDG_STATE_HOME/lawful or
/// ~/.local/state/lawful, else in the working folder; gives its name. Throws io::Failure where neither can be written.
std::string write_rescue_file(std::string_view text);

}  // namespace lawful::cli
