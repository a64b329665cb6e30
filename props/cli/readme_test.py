"""README.md does what it says: every command in it runs, prints what is shown, and every piece of code is the code.

In a `console` block a line `$ COMMAND` is a command, and the lines after it are its whole output; a line `…` stands for
any lines. A `cpp` block begins with a comment that names its file, and its lines stand there one after another. A
`text` block is what compilers say, held to them by laws/compile_fail/check.py: it stands in that tool's section.
"""
import os
import re
import subprocess
import tempfile

import program
from cases import Case, run_cases

README = (program.ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.M | re.S)
# These two run this very test.
RUNS_THIS_TEST = ("./check", "./check --large")


def commands():
    """Each command with the output that is shown for it, in order."""
    found = []
    for language, text in BLOCKS:
        for part in re.split(r"^\$ ", text, flags=re.M)[1:] if language == "console" else ():
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def matches(shown, output):
    """An output without a last line end, such as exact bytes, looks the same in a page."""
    pattern = "".join(r"(?s:.*)" if line == "…\n" else re.escape(line) for line in shown.splitlines(keepends=True))
    return any(re.fullmatch(pattern, text) for text in (output, output + "\n"))


class Readme(Case):
    def test_every_command_runs_and_prints_what_is_shown(self):
        for name in os.listdir(program.ROOT):
            if not name.startswith((".", "build")):
                (self.scratch / name).symlink_to(program.ROOT / name)
        environment = {**os.environ, "LAWFUL_MODEL": str(program.default_model())}
        with tempfile.TemporaryDirectory() as home:
            cache = program.pathlib.Path(home) / ".cache" / "lawful"
            cache.mkdir(parents=True)
            (cache / "SmolLM2-135M-Instruct.Q4_1.gguf").symlink_to(program.default_model())
            for command, shown in commands():
                if command in RUNS_THIS_TEST:
                    continue
                with self.subTest(command=command):
                    done = subprocess.run(["bash", "-c", command], cwd=self.scratch, stdin=subprocess.DEVNULL,
                                          capture_output=True, env={**environment, "HOME": home}, check=False,
                                          timeout=program.TIMEOUT_S)
                    self.assertEqual(done.returncode, 0, done.stderr.decode())
                    output = done.stdout.decode()
                    self.assertTrue(matches(shown, output), f"shown\n{shown}\nfound\n{output}")

    def test_commands_within_sentences_are_among_them(self):
        known = {command for command, _ in commands()} | set(RUNS_THIS_TEST)
        prose = re.sub(r"^```.*?^```$", "", README, flags=re.M | re.S)
        for command in re.findall(r"`((?:\./|lawful )[^`]*)`", prose):
            self.assertIn(command, known)

    def test_the_two_commands_are_shown_and_run_by_ci(self):
        shown = [command for command, _ in commands()]
        self.assertTrue(any(command.startswith("./lawful generate") for command in shown))
        self.assertIn("./check", shown)

    def test_every_block_is_of_a_kind_that_is_tested(self):
        self.assertLessEqual({language for language, _ in BLOCKS}, {"console", "cpp", "text"})
        outside = re.sub(r"^<!-- diagnostics: .*?^<!-- end of diagnostics -->$", "", README, flags=re.M | re.S)
        self.assertNotIn("```text", outside)

    def test_code_is_the_projects_code(self):
        for language, text in BLOCKS:
            if language == "cpp":
                first, _, rest = text.partition("\n")
                path = program.ROOT / first.removeprefix("// ")
                with self.subTest(path=path):
                    self.assertIn(rest, path.read_text(encoding="utf-8"))

    def test_links_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)#:]+)\)", README):
            self.assertTrue((program.ROOT / target).exists(), target)


class Matching(Case):
    def test_it_can_fail(self):
        self.assertTrue(matches("a\n…\nd\n", "a\nb\nc\nd\n"))
        self.assertTrue(matches("…\n", ""))
        self.assertFalse(matches("a\n", "a\nb\n"))
        self.assertFalse(matches("", "a\n"))
        self.assertFalse(matches("a\n…\nd\n", "a\nb\nc\n"))


if __name__ == "__main__":
    run_cases()
