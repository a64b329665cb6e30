"""The real program as a test sees it: arguments and standard input in; output, messages and exit status out.

The path of the program is in LAWFUL_PROGRAM; the default model is where the program looks for it.
"""
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import tempfile

from cases import Case

ROOT = pathlib.Path(__file__).resolve().parents[2]
VALUES = ROOT / "reference" / "values"
PROGRAM = os.environ.get("LAWFUL_PROGRAM", str(ROOT / "build" / "cli" / "lawful"))
TIMEOUT_S = 240
SANITIZED = "LAWFUL_SANITIZED" in os.environ  # set by ./check for such a build, which is some ten times slower
DONE, FAILED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130


def default_model():
    """The default model's file, by the same rule as setup/paths.bash."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(cache):
        cache = os.path.join(os.path.expanduser("~"), ".cache")
    path = os.environ.get("LAWFUL_MODEL") or os.path.join(cache, "lawful", "SmolLM2-135M-Instruct.Q4_1.gguf")
    return pathlib.Path(path)


@dataclasses.dataclass
class Run:
    arguments: tuple
    status: int
    out: bytes
    err: bytes

    def __str__(self):
        return (f"lawful {' '.join(map(repr, self.arguments))}\nexit {self.status}\n"
                f"stdout ({len(self.out)} bytes) {self.out[:400]!r}\nstderr {self.err[-1500:]!r}")

    def json(self):
        return json.loads(self.out)

    def json_lines(self):
        return [json.loads(line) for line in self.out.splitlines()]


def _default_signals():
    """A test run in the background inherits ignored signals; the program is to see a terminal's."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def start(*arguments, **options):
    """The program, started with pipes; the caller ends it."""
    settings = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([PROGRAM, *arguments], preexec_fn=_default_signals, **settings)


def run(*arguments, stdin=b"", timeout=TIMEOUT_S, under=(), **options):
    """The program, run to its end, `under` another command if given; more than `timeout` seconds are a failure."""
    settings = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": _default_signals, **options}
    done = subprocess.run([*under, PROGRAM, *arguments], input=stdin, timeout=timeout, check=False, **settings)
    return Run(arguments, done.returncode, done.stdout or b"", done.stderr or b"")


def instruction_sets():
    """Those that the program can use here, best first."""
    line = next(line for line in run("--version").out.decode().splitlines() if line.startswith("instruction sets here: "))
    return line.partition(": ")[2].split(", ")


def commands():
    """The commands that --help lists."""
    listed = run("--help").out.decode().partition("Subcommands:\n")[2].partition("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "]


class ProgramCase(Case):
    """Assertions about runs."""

    def done(self, *arguments, **options):
        """A run that succeeds without a word on stderr."""
        result = run(*arguments, **options)
        self.assertEqual((result.status, result.err), (DONE, b""), str(result))
        return result

    def refused(self, *arguments, names=(), status=BAD_INPUT, **options):
        """A run that ends with one line saying what was expected and what was found, and with no result."""
        result = run(*arguments, **options)
        self.assertEqual(result.status, status, str(result))
        self.assertEqual(result.out, b"", str(result))
        message = result.err.decode("utf-8")
        self.assertTrue(message.endswith("\n") and message.count("\n") == 1, str(result))
        wanted = [*names, "expected", "found"] if status == BAD_INPUT else names
        for word in wanted:
            self.assertIn(word, message, str(result))
        return message
