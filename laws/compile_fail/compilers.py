"""The two compilers, with the project's own flags, and what they say."""
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

NAMES = ("g++", "clang++")
TIMEOUT_S = 900
# Not about the language: outputs, dependency files, colours.
DROPPED_WITH_VALUE = {"-o", "-MF", "-MQ", "-MT", "-c"}
DROPPED = {"-MD", "-fdiagnostics-color=always"}
ERROR = re.compile(r"^(?P<where>[^\n]*?:\d+:\d+): (?:fatal )?error: (?P<text>.*)$", re.M)
CRASH = re.compile(r"internal compiler error|PLEASE submit a bug report|Stack dump:", re.I)


class Unusable(Exception):
    """There is nothing to compile with; the message says what is missing."""


def project_flags(build):
    """The flags with which `build` compiles the model, without the compiler's name and the files."""
    database = pathlib.Path(build) / "compile_commands.json"
    try:
        entries = json.loads(database.read_text(encoding="utf-8"))
    except OSError as error:
        raise Unusable(f"{database}: expected Meson's compile commands, found none ({error.strerror})") from error
    for entry in entries:
        if entry["file"].endswith("model/sequence.cpp"):
            break
    else:
        raise Unusable(f"{database}: expected a command for model/sequence.cpp, found none")
    words = shlex.split(entry["command"])
    first = next(i for i, word in enumerate(words) if word.startswith("-"))
    flags, skip = [], False
    for word in words[first:]:
        if skip or word in DROPPED_WITH_VALUE:
            skip = not skip
        elif word not in DROPPED and not word.startswith("-I"):
            flags.append(word)
    return flags


def plain(text):
    """A compiler's text without what differs between the two: the project's namespace and spaces between brackets."""
    return re.sub(r"> (?=>)", ">", text.replace("lawful::model::", ""))


@dataclasses.dataclass
class Verdict:
    """What a compiler said about one file."""
    accepted: bool
    output: str
    crashed: bool

    def errors(self):
        """(file:line:column, text) of each error, in order."""
        return [(found["where"], plain(found["text"])) for found in ERROR.finditer(self.output)]

    def lines(self):
        return len(self.output.splitlines())


class Compiler:
    """One compiler with a precompiled header of what all files of a run include."""

    def __init__(self, name, flags, includes, scratch):
        self.name = name
        self.path = shutil.which(name)
        if self.path is None:
            raise Unusable(f"expected both {' and '.join(NAMES)}, found no {name}")
        # clang++ stops at the twentieth error, g++ at none.
        self.flags = flags + (["-ferror-limit=0"] if name == "clang++" else []) + [f"-I{folder}" for folder in includes]
        self.scratch = pathlib.Path(scratch)

    def precompile(self, text):
        """Makes `text` the beginning of every file compiled from here on."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        header = folder / f"prelude_{self.name}.hpp"
        header.write_text(text, encoding="utf-8")
        output = header.with_suffix(".hpp.gch" if self.name == "g++" else ".pch")
        verdict = self._run([*self.flags, "-x", "c++-header", str(header), "-o", str(output)])
        if not verdict.accepted:
            raise Unusable(f"{self.name}: the headers do not compile:\n{verdict.output}")
        self.prelude = ["-include", str(header)] if self.name == "g++" else ["-include-pch", str(output)]

    def check(self, source, defines=(), first_include=None):
        """Compiles one file without making code; headers are looked for in `first_include` before all others."""
        first = [f"-I{first_include}"] if first_include else []
        return self._run([*first, *self.flags, *self.prelude, "-fsyntax-only", *(f"-D{name}" for name in defines),
                          str(source)])

    def check_without_prelude(self, source, defines=()):
        """The same from the headers as they are, as a reader compiles it."""
        return self._run([*self.flags, "-include", "parts.hpp", "-fsyntax-only", *(f"-D{name}" for name in defines),
                          str(source)])

    def _run(self, arguments):
        done = subprocess.run(["nice", "-n", "5", self.path, "-fdiagnostics-color=never", *arguments],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False,
                              timeout=TIMEOUT_S, env={**os.environ, "LC_ALL": "C", "TMPDIR": str(self.scratch)})
        crashed = done.returncode not in (0, 1) or CRASH.search(done.stderr) is not None
        return Verdict(done.returncode == 0 and not crashed, done.stderr, crashed)


def both(build, includes, scratch, prelude, names=NAMES):
    """g++ and clang++, ready to compile files that begin with `prelude`. Throws Unusable where one is missing."""
    flags = project_flags(build)
    found = [Compiler(name, flags, includes, scratch) for name in names]
    for compiler in found:
        compiler.precompile(prelude)
    return found
