"""`lawful chat` on a terminal: its editor, Ctrl-C, and that a terminal which goes away loses nothing."""
import fcntl
import json
import os
import pty
import select
import signal
import subprocess
import termios
import time

import program
from cases import run_cases

GREEDY = ("--temperature", "0")
LONG = b"Tell me a very long story about a dog and a cat.\n"


class Terminal(program.ProgramCase):
    """On a pseudo-terminal: what is typed goes to its master; what the program shows comes from there."""

    def start(self, tokens=8, setup=lambda: None, **environment):
        self.master, slave = pty.openpty()
        self.slave = slave
        self.before = termios.tcgetattr(slave)
        self.process = subprocess.Popen(
            [program.PROGRAM, "chat", "--temperature", "0", "-n", str(tokens)], stdin=slave, stdout=subprocess.PIPE,
            stderr=slave, start_new_session=True, env={**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8",
                                                             "XDG_STATE_HOME": str(self.scratch), **environment},
            cwd=self.scratch, preexec_fn=lambda: (fcntl.ioctl(0, termios.TIOCSCTTY, 0), setup()))
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.kill)
        self.shown = b""
        self.prompt()

    def close(self):
        """The terminal goes away."""
        os.close(self.slave)
        os.close(self.master)

    def rescued(self):
        """The messages of the one file that was left for /load, and the conversation goes on from there."""
        path, = (self.scratch / "lawful").iterdir()
        self.assertEqual((path.parent.stat().st_mode & 0o777, path.suffix), (0o700, ".json"))
        result = program.run("chat", *GREEDY, "-n", "4", stdin=f"/load {path}\n/retry\n".encode())
        self.assertEqual(result.status, program.DONE, str(result))
        return [(m["role"], m["content"]) for m in json.loads(path.read_text("utf-8"))]

    def prompt(self, count=1, text=b"\n> "):
        """Waits for the prompt, and until the editor reads: Ctrl-D that comes before is the terminal's and lost."""
        self.wait_for(text, count)
        while termios.tcgetattr(self.slave)[3] & termios.ICANON:
            time.sleep(0.01)

    def wait_for(self, text, count=1):
        end = time.monotonic() + 30
        while self.shown.count(text) < count:
            self.assertGreater(end, time.monotonic(), self.shown)
            if select.select([self.master], [], [], 0.1)[0]:
                self.shown += os.read(self.master, 4096)

    def type(self, data):
        os.write(self.master, data)

    def ask(self, data):
        """Types lines, waits for the prompt behind the last, and gives the only answer among theirs."""
        self.shown = b""
        self.type(data)
        line = self.process.stdout.readline()
        self.prompt(data.count(b"\n"))
        return line

    def enter(self, line):
        """Types a line and waits for the next prompt."""
        self.shown = b""
        self.type(line)
        self.prompt()

    def forget(self, text):
        """Types a text, and Ctrl-C when the editor has shown it: one that comes before flushes what it has not read."""
        self.shown = b""
        self.type(text)
        self.wait_for(text)
        self.type(b"\x03")
        self.prompt(text=b"^C\r\n> ")

    def leave_after(self, line):
        """Ctrl-D is only an end where the editor reads it."""
        self.enter(line)
        self.type(b"\x04")

    def test_lines_are_edited_and_remembered(self):
        self.start()
        answer = self.ask(b"What is gravity?\n")
        self.ask(b"/reset\nName an animal.\n")
        self.shown = b""
        self.type(b"/reset\n")
        self.prompt()
        # Three lines up the first message stands again.
        self.assertEqual(self.ask(b"\x1b[A\x1b[A\x1b[A\x1b[A\n"), answer)
        self.shown = b""
        self.type(b"/reset\n")
        self.prompt()
        # One character of two bytes, taken back by one key; and a letter put in at the beginning.
        self.assertEqual(self.ask("hat is gravityé".encode() + b"\x7f?\x01W\n"), answer)
        self.type(b"\x04")
        self.assertEqual(self.process.wait(timeout=10), program.DONE)
        self.assertEqual(termios.tcgetattr(self.slave), self.before)
        self.close()

    def test_other_characters_reach_the_model(self):
        self.start()
        path = self.scratch / "talk.json"
        text = "Grüße, 你好 😀"
        self.ask(text.encode() + b"\n")
        self.leave_after(f"/save {path}\n".encode())
        self.assertEqual(self.process.wait(timeout=10), program.DONE)
        self.assertEqual(json.loads(path.read_text("utf-8"))[0]["content"], text)

    def test_errors_are_told_and_the_conversation_goes_on(self):
        self.start()
        for line, word in ((b"/frobnicate\n", b"expected /system"), (b"/load /absent\n", b"/absent"),
                           (b"\n", b"empty line"), (b"/help\n", b"answer the last message again")):
            self.shown = b""
            self.type(line)
            self.wait_for(word)
            self.prompt()
        self.assertTrue(self.ask(b"Hi\n"))
        self.type(b"\x04")
        self.assertEqual(self.process.wait(timeout=10), program.DONE)

    def test_ctrl_c_forgets_what_is_typed_and_then_leaves_the_terminal_as_it_was(self):
        self.start()
        answer = self.ask(b"What is gravity?\n")
        self.ask(b"/reset\nName an animal.\n")
        self.enter(b"/reset\n")
        self.forget("half a li é".encode())
        self.assertEqual(self.ask(b"What is gravity?\n"), answer)
        self.forget(b"x")
        self.type(b"\x03")
        self.assertEqual(self.process.wait(timeout=10), program.INTERRUPTED)
        self.assertEqual(termios.tcgetattr(self.slave), self.before)
        self.assertFalse((self.scratch / "lawful").exists())

    def test_ctrl_c_stops_an_answer(self):
        self.start(tokens=4000)
        self.type(LONG)
        self.assertTrue(self.process.stdout.read(10))
        self.shown = b""
        self.type(b"\x03")
        self.process.stdout.readline()
        self.prompt(text=b"^C> ")  # the answer's line ends on stdout
        self.leave_after(b"/reset\n")
        self.assertEqual(self.process.wait(timeout=10), program.DONE)

    def test_tabs_and_bytes_that_are_no_text_do_no_harm(self):
        self.start()
        answer = self.ask(b"What is gravity?\n")
        for stray in (b"\xff", b"\xc3", b"\x80", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\x80"):
            with self.subTest(stray=stray):
                self.shown = b""
                self.type(b"caf" + stray + b"\n")
                self.prompt()
                self.assertIn(b"message: expected valid UTF-8", self.shown)
        self.enter(b"/reset\n")
        self.assertEqual(self.ask(b"\tWhat is\t gravity?\n"), answer)
        self.enter(b"\xff\x7f/reset\n")
        self.assertEqual(self.ask(b"What is gravity?\xff\x7f\n"), answer)

    def test_a_terminal_that_goes_away_at_the_prompt_loses_nothing(self):
        for ignored in (False, True):  # with nohup there is no signal, and reading ends
            with self.subTest(ignored=ignored):
                self.start(setup=lambda: ignored and signal.signal(signal.SIGHUP, signal.SIG_IGN))
                answer = self.ask(b"What is gravity?\n").decode()[:-1]
                self.close()
                self.assertEqual(self.process.wait(timeout=10), program.INTERRUPTED)
                self.assertEqual(self.rescued(), [("user", "What is gravity?"), ("assistant", answer)])
                next((self.scratch / "lawful").iterdir()).unlink()

    def test_a_terminal_that_goes_away_in_an_answer_keeps_what_there_is_of_it(self):
        self.start(tokens=4000)
        self.type(LONG)
        begin = self.process.stdout.read(10).decode()
        self.close()
        rest = self.process.stdout.read().decode()
        self.assertEqual(self.process.wait(timeout=10), program.INTERRUPTED)
        self.assertEqual(self.rescued(), [("user", LONG.decode()[:-1]), ("assistant", begin + rest)])

    def test_before_an_answer_the_message_is_kept(self):
        self.start()
        text = "Hello. " * 600
        for piece in range(0, len(text), 1000):  # a terminal takes 4095 bytes at once
            self.type(text[piece:piece + 1000].encode())
            time.sleep(0.05)
        self.type(b"\n")
        time.sleep(0.3)
        self.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.process.wait(timeout=20), program.INTERRUPTED)
        self.wait_for(b"the conversation is in " + str(self.scratch / "lawful").encode())
        self.assertEqual(self.rescued()[0], ("user", text))

    def test_what_is_saved_or_nothing_needs_no_rescue(self):
        for lines in ((), (b"/system x\n",), (b"Hi\n", b"/save talk.json\n")):
            self.start()
            for line in lines:
                self.enter(line)
            self.close()
            self.assertEqual(self.process.wait(timeout=10), program.INTERRUPTED)
        self.assertFalse((self.scratch / "lawful").exists())

    def test_where_the_state_folder_cannot_be_written_the_working_folder_is_taken(self):
        (self.scratch / "file").touch()
        self.start(XDG_STATE_HOME=str(self.scratch / "file"))
        self.ask(b"Hi\n")
        self.close()
        self.assertEqual(self.process.wait(timeout=10), program.INTERRUPTED)
        self.assertEqual(len(list(self.scratch.glob("chat-*.json"))), 1)


if __name__ == "__main__":
    run_cases()
