#include "cli/completion.hpp"

#include "cli/commands.hpp"
#include "cli/output.hpp"
#include "io/bad_input.hpp"
#include "io/printable.hpp"

#include <memory>

namespace lawful::cli {

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  auto& command = *app.add_subcommand("completion", "A script that lets bash or zsh complete lawful's command line");
  command.add_option("SHELL", *shell, "the shell that the script is for")->type_name("bash|zsh")->required();
  command.footer("Examples: source <(lawful completion bash)        in ~/.bashrc\n"
                 "          source <(lawful completion zsh)         in ~/.zshrc, after compinit");
  command.callback([shell, &app] {
    if (*shell == "bash") return print(bash_completion(command_tree(app)));
    if (*shell == "zsh") return print(zsh_completion(command_tree(app)));
    io::reject("completion", "bash or zsh", io::quoted(*shell));
  });
}

}  // namespace lawful::cli
