"""What a terminal sees: colours unless NO_COLOR forbids them, and how long work is getting on."""
import os
import pty
import select

import program
from cases import run_cases

TIMEOUT_S = 120
BOLD_RED, BOLD = b"\x1b[1;31m", b"\x1b[1m"


def at_terminal(*arguments, **environment):
    """The exit status, and everything that the program writes to a terminal."""
    process, terminal = pty.fork()
    if process == 0:
        variables = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        os.execve(program.PROGRAM, ["lawful", *arguments], {**variables, "TERM": "xterm", **environment})
    shown = b""
    while select.select([terminal], [], [], TIMEOUT_S)[0]:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    os.close(terminal)
    return status, shown


class Colour(program.ProgramCase):
    def test_errors_and_headings_stand_out(self):
        status, shown = at_terminal("frobnicate")
        self.assertEqual(status, program.BAD_INPUT)
        self.assertTrue(shown.startswith(BOLD_RED + b"lawful:\x1b[0m expected a command"), shown)
        for arguments in (("--help",), ("generate", "--help")):
            status, shown = at_terminal(*arguments)
            self.assertEqual(status, program.DONE)
            for heading in (b"Usage:", b"Options:", b"Example"):
                self.assertIn(BOLD + heading, shown)
            plain = shown.replace(BOLD, b"").replace(b"\x1b[0m", b"").replace(b"\r\n", b"\n")
            self.assertEqual(plain, program.run(*arguments).out)

    def test_no_color_and_dumb_terminals(self):
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            for arguments in (("frobnicate",), ("--help",)):
                self.assertNotIn(b"\x1b", at_terminal(*arguments, **environment)[1])
        self.assertIn(BOLD_RED, at_terminal("frobnicate", NO_COLOR="")[1])


class Progress(program.ProgramCase):
    def test_a_long_prompt_tells_how_far_it_is(self):
        ids = ",".join(["504"] * 600)
        status, shown = at_terminal("logits", "--ids", ids, "-t", "1", "--chunk", "8", "-o", "/dev/null")
        self.assertEqual(status, program.DONE)
        self.assertRegex(shown, rb"prompt: \d+ of 600 \(\d+ %, \d+ s left\)")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-80:])

    def test_work_that_cannot_say_how_far_it_is(self):
        text = self.scratch / "text"
        text.write_bytes(b" ".join(b"%x" % (i * i) for i in range(12_000_000)))
        with open(text, "rb") as stdin:
            status, shown = with_stdin(stdin, "tokenize", "-")
        self.assertEqual(status, program.DONE)
        self.assertRegex(shown, rb"splitting the text \(\d+ s\)")

    def test_short_work_says_nothing(self):
        status, shown = at_terminal("tokenize", "Hello")
        self.assertEqual((status, shown), (program.DONE, b"19556\r\n"))


def with_stdin(stdin, *arguments):
    """A run with stderr at a terminal, stdout thrown away, stdin from a file: its status, and what the terminal saw."""
    terminal, end = pty.openpty()
    process = program.start(*arguments, stdin=stdin, stdout=program.subprocess.DEVNULL, stderr=end, env={**os.environ, "TERM": "xterm"})
    os.close(end)
    shown = b""
    while select.select([terminal], [], [], TIMEOUT_S)[0]:
        try:
            shown += os.read(terminal, 4096)
        except OSError:
            break
    os.close(terminal)
    return process.wait(timeout=TIMEOUT_S), shown


if __name__ == "__main__":
    run_cases()
