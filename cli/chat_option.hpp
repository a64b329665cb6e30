// What makes a conversation out of texts on the command line.
#pragma once
#include "cli/options.hpp"
#include "model/chat_template.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

namespace lawful::cli {

struct ChatOption {
  std::optional<std::string> system, form;
  void add_to(CLI::App& command) {
    command.add_option_function<std::string>("--system", [this](const std::string& value) { system = value; },
                                             "the system message (default: the template's own)");
    command.add_option_function<std::string>("--template", [this](const std::string& value) { form = value; },
                                             "the form of messages (default: the model file's own)")
        ->type_name("smollm2|chatml");
  }
};

}  // namespace lawful::cli
