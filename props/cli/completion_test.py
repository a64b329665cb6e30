"""`lawful completion`: what bash offers is what --help lists, for every command; and in bash itself at a prompt."""
import os
import pty
import re
import select
import shlex
import subprocess
import time

import program
from cases import run_cases
from help_test import options_of

TIMEOUT_S = 20


class Bash(program.ProgramCase):
    script = None

    def setUp(self):
        super().setUp()
        if self.script is None:
            type(self).script = program.run("completion", "bash").out.decode()

    def offered(self, *words):
        """What bash offers for the last of these words."""
        line = f"""{self.script}
            COMP_WORDS=({shlex.join(("lawful", *words))}) COMP_CWORD={len(words)}
            _lawful
            printf '%s\\n' "${{COMPREPLY[@]}}"
        """
        done = subprocess.run(["bash", "--norc", "-u", "-c", line], capture_output=True, text=True, check=False, cwd=self.scratch)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.split("\n")[:-1] if done.stdout != "\n" else []

    def test_commands(self):
        self.assertEqual(self.offered("ge"), ["generate"])
        self.assertEqual({word for word in self.offered("") if word[0] != "-"}, set(program.commands()))

    def test_options_are_those_of_the_help(self):
        for command in ("", *program.commands()):
            with self.subTest(command=command):
                words = (command, "-") if command else ("-",)
                self.assertEqual(set(self.offered(*words)), options_of(words[:-1]))
        self.assertEqual(self.offered("generate", "x", "--tok"), ["--tokens"])

    def test_values_that_are_known(self):
        self.assertEqual(self.offered("generate", "--isa", ""), program.instruction_sets())
        self.assertEqual(self.offered("generate", "--isa", "=", program.instruction_sets()[0][:-1]), program.instruction_sets()[:1])
        self.assertEqual(self.offered("generate", "--isa", "="), program.instruction_sets())
        self.assertEqual(self.offered("convert", "--to", "b"), ["bf16"])
        self.assertEqual(self.offered("completion", ""), ["bash", "zsh", "-h", "--help"])
        self.assertEqual(self.offered("generate", "-n", ""), [])
        laws = [law["name"] for law in self.done("laws", "--json").json()]
        self.assertLessEqual(set(laws), set(self.offered("laws", "")))

    def test_files(self):
        for name in ("a model.gguf", "b.gguf"):
            (self.scratch / name).touch()
        (self.scratch / "folder").mkdir()
        for words in (("inspect",), ("generate", "-m"), ("generate", "--model"), ("trace", "x", "--html"), ("generate", "--model", "=")):
            with self.subTest(words=words):
                found = self.offered(*words, "") if words[-1] != "=" else self.offered(*words)
                self.assertLessEqual({"a model.gguf", "b.gguf", "folder"}, set(found))
        self.assertEqual(self.offered("laws", "--smtlib", ""), ["folder"])
        self.assertEqual(self.offered("generate", "a"), [])

    def test_at_a_prompt(self):
        (self.scratch / "completion").write_text(self.script)
        (self.scratch / "some model.gguf").touch()
        self.assertIn("lawful inspect some\\ model.gguf ", typed(
            ["bash", "--norc", "-i"], self.scratch, ". ./completion", ["lawful insp\t", "som\t"]))

    def test_another_shell(self):
        self.refused("completion", "fish", names=("bash", "zsh", "fish"))
        self.refused("completion", names=("SHELL",))


def typed(command, folder, start, keys):
    """What a shell at a terminal shows when, after the line `start`, these keys are pressed, one group after another."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execvpe(command[0], command, {**os.environ, "TERM": "dumb", "PS1": "$ ", "HOME": str(folder), "ZDOTDIR": str(folder)})
    shown = b""
    try:
        os.write(terminal, f"{start}; echo rea''dy\n".encode())  # printed without the quotes once all is loaded
        until = time.monotonic() + TIMEOUT_S
        while b"ready" not in shown and time.monotonic() < until:
            shown += quiet(terminal)
        for key in keys:
            os.write(terminal, key.encode())
            shown += quiet(terminal)
    finally:
        os.kill(process, 9)
        os.waitpid(process, 0)
        os.close(terminal)
    return re.sub(r"\x1b\[[\d;?]*[a-zA-Z]|[\x07\r\x08]", "", shown.decode(errors="replace"))


def quiet(terminal, still_s=0.7):
    """What comes until nothing has for a while."""
    got, until = b"", time.monotonic() + TIMEOUT_S
    while time.monotonic() < until and select.select([terminal], [], [], still_s)[0]:
        try:
            got += os.read(terminal, 4096)
        except OSError:
            break
    return got


if __name__ == "__main__":
    run_cases()
