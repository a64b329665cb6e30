"""`lawful completion zsh` in zsh itself, at a prompt."""
import shutil

import program
from cases import run_cases
from completion_test import typed


class Zsh(program.ProgramCase):
    def shown(self, *keys):
        assert shutil.which("zsh"), "zsh is not installed"
        (self.scratch / "completion").write_bytes(program.run("completion", "zsh").out)
        (self.scratch / "some model.gguf").touch()
        start = "autoload -U compinit; compinit -u -d ./dump; source ./completion; PS1='$ '"
        return typed(["zsh", "-f", "-i"], self.scratch, start, keys)

    def test_commands(self):
        self.assertIn("lawful generate ", self.shown("lawful gen\t"))
        self.assertIn("read, explained, proved", self.shown("lawful la\t\x15lawful \t"))

    def test_options_and_what_they_are(self):
        self.assertIn("lawful generate --tokens=", self.shown("lawful generate --tok\t"))
        self.assertIn("go on past the ids that end a text", self.shown("lawful generate --\t"))

    def test_values(self):
        self.assertIn("lawful convert --to bf16 ", self.shown("lawful convert --to b\t"))
        self.assertIn("lawful laws gqa_head", self.shown("lawful laws gq\t"))
        self.assertIn("lawful inspect some\\ model.gguf", self.shown("lawful inspect som\t"))


if __name__ == "__main__":
    run_cases()
