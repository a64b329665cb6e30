"""What a terminal sees: colours unless NO_COLOR forbids them, and how long work is getting on."""
import os
import pty
import re
import select

import program
from cases import run_cases

TIMEOUT_S = 120
BOLD_RED, BOLD = b"\x1b[1;31m", b"\x1b[1m"


def at_terminal(*arguments, typed=(), stderr=None, **environment):
    """The exit status, and everything that the program writes to a terminal; a piece is typed at each prompt."""
    process, terminal = pty.fork()
    if process == 0:
        if stderr is not None:
            os.dup2(stderr, 2)
        variables = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        os.execve(program.PROGRAM, ["lawful", *arguments], {**variables, "TERM": "xterm", **environment})
    shown, pieces = b"", list(typed)
    while select.select([terminal], [], [], TIMEOUT_S)[0]:
        try:
            piece = os.read(terminal, 4096)
        except OSError:
            break
        if not piece:
            break
        shown += piece
        if pieces and shown.count(b"> ") > len(typed) - len(pieces):
            os.write(terminal, pieces.pop(0))
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


class Plain(program.ProgramCase):
    """Where nothing can move a cursor there is no escape sequence and no line that is replaced."""
    LONG_WORK = ("logits", "--ids", ",".join(["504"] * 600), "-t", "1", "--chunk", "8", "-o", "/dev/null")

    def test_dumb_terminals(self):
        texts = self.scratch / "in.jsonl"
        texts.write_text('{"prompt": "A", "tokens": 60, "ignore_eos": true}\n' * 6)
        batch = ("batch", str(texts), "-o", str(self.scratch / "out"), "-t", "1", "--parallel", "1")
        for arguments in (self.LONG_WORK, batch, ("chat",)):
            status, shown = at_terminal(*arguments, TERM="dumb", typed=(b"Hi\n", b"/frobnicate\n", b"Hi\n", b"\x04"))
            self.assertEqual(status, program.DONE)
            self.assertNotIn(b"\x1b", shown)
            self.assertNotIn(b"\r", shown.replace(b"\r\n", b"\n"))
        self.assertEqual(shown.count(b"> "), 4)  # the last is before Ctrl-D
        self.assertIn(b"expected /system", shown)

    def test_ctrl_c_on_a_dumb_terminal(self):
        for typed, expected in (((b"half\x03", b"\x03"), program.INTERRUPTED), ((b"half\x03", b"\x04"), program.DONE)):
            status, shown = at_terminal("chat", TERM="dumb", typed=typed)
            self.assertEqual(status, expected)
            self.assertIn(b"Ctrl-C again leaves.\r\n> ", shown)

    def test_logs(self):
        for arguments in (self.LONG_WORK, ("frobnicate",), ("generate", "-n", "4", "Hi")):
            with open(self.scratch / "log", "wb") as log:
                shown = at_terminal(*arguments, stderr=log.fileno())[1]
            text = (self.scratch / "log").read_bytes()
            self.assertNotRegex(text, rb"[\x1b\r]")
            self.assertNotIn(b"\x1b", shown)


class Progress(program.ProgramCase):
    def test_a_long_prompt_tells_how_far_it_is(self):
        ids = ",".join(["504"] * 600)
        status, shown = at_terminal("logits", "--ids", ids, "-t", "1", "--chunk", "8", "-o", "/dev/null")
        self.assertEqual(status, program.DONE)
        self.assertRegex(shown, rb"prompt: \d+ of 600 \(\d+ %, \d+ s left\)")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown[-80:])

    def test_a_batch_tells_its_rate_and_the_time_left(self):
        texts, out = self.scratch / "in.jsonl", self.scratch / "out"
        texts.write_text('{"prompt": "A", "tokens": 100, "ignore_eos": true}\n' * 6)
        status, shown = at_terminal("batch", str(texts), "-o", str(out), "-t", "1", "--parallel", "1")
        self.assertEqual(status, program.DONE)
        seen = re.findall(rb"\r\x1b\[K(\d) of 6 requests, (\d+) tokens/s(?:, (\d+) s left)?", shown)
        self.assertGreater(len(seen), 2, shown)
        done, rates, left = zip(*((int(d), int(r), l and int(l)) for d, r, l in seen))
        self.assertEqual(list(done), sorted(done))
        self.assertGreater(min(rates), 0)
        self.assertTrue(all((l == b"") == (d == 0) for d, l in zip(done, left)), seen)
        # What is left is what was, in proportion: by the last line seconds have gone that the first with a number foretold.
        self.assertLess(left[-1], max(l for l in left if l != b""), seen)
        self.assertTrue(shown.endswith(b"\r\x1b[K6 requests in " + str(out).encode() + b"\r\n"), shown[-80:])

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
