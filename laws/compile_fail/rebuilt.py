"""The model's tests, built again with an edited header."""
import json
import pathlib
import re
import shlex
import subprocess

COMPILER = "the compiler, in"  # how a catcher that is no test begins
PROGRAM = "props/model/test_model"
# What includes the wiring: its objects are made again, all others are taken from the build.
SOURCES = ("model/sequence.cpp", "props/model/room_test.cpp")
BUILD_TIMEOUT_S, TEST_TIMEOUT_S = 900, 120
# The quickest to notice first; a crash or a hang is noticed as well.
CASES = ("every build gives the committed logits of the tiny model",
         "a push refuses a room that is spent, another cache's, for other positions or another count",
         "a spent room has no positions",
         "a layer refuses a room that is spent or another cache's",
         "a forward pass refuses a room that is spent, another cache's, for other positions or another count",
         "every layer writes keys and values of its own, at the positions of the room",
         "caches of static extents give the bits of those of dynamic extents",
         "a prompt gives the same bits whole, in pieces of any size, and token by token",
         "only the wanted rows are given, and they are those of the whole")


class Tests:
    def __init__(self, root, build, scratch):
        self.root, self.build, self.scratch = root, pathlib.Path(build).resolve(), scratch
        entries = json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8"))
        self.compile = {}
        for entry in entries:
            for source in SOURCES:
                if entry["file"].endswith(source) and "output" in entry:
                    self.compile[source] = shlex.split(entry["command"]), entry["output"]
        commands = subprocess.run(["ninja", "-C", str(self.build), "-t", "commands", PROGRAM], capture_output=True,
                                  text=True, check=True).stdout.splitlines()
        self.link = shlex.split(commands[-1])
        if set(self.compile) != set(SOURCES) or PROGRAM not in self.link:
            raise RuntimeError(f"{self.build}: expected the commands that make {PROGRAM}, found others")
        missing = [case for case in CASES if case not in self._run(self.build / PROGRAM, "--list-test-cases").stdout]
        if missing:
            raise RuntimeError(f"{PROGRAM}: expected the test cases {missing}, found none such")

    def catcher(self, number, mutant):
        """What notices this edit: the source that does not compile with it, the test that fails, or None."""
        folder = self.scratch / f"tested_{number}"
        (folder / "model").mkdir(parents=True)
        (folder / "model" / f"{mutant.header}.hpp").write_text(mutant.text(), encoding="utf-8")
        program, refused = self._built(folder)
        if refused:
            return f"{COMPILER} `{refused}`"
        for case in CASES:
            done = self._run(program, f"--test-case={re.sub(r'([,*])', '?', case)}")
            if done is None or done.returncode != 0:
                return f"“{case}”" + (" (hangs)" if done is None else " (crashes)" if done.returncode < 0 else "")
        return None

    def _built(self, folder):
        """The tests with the edited header; or the source that the compiler refuses with it."""
        link = list(self.link)
        for source, (command, output) in self.compile.items():
            made = folder / (pathlib.Path(source).stem + ".o")
            words = [str(made) if word == output else word for word in command]
            first = next(i for i, word in enumerate(words) if word.startswith("-"))
            words.insert(first, f"-I{folder}")
            # Without optimization: the numbers come from the kernels, which are linked as they are.
            done = subprocess.run([*words, "-O0", "-fdiagnostics-color=never"], cwd=self.build, check=False,
                                  capture_output=True, text=True, errors="replace", timeout=BUILD_TIMEOUT_S)
            if done.returncode != 0:
                if " error: " not in done.stderr:
                    raise RuntimeError(f"{source}: expected an error of the compiler, found\n{done.stderr}")
                return None, source
            if output in link:
                link[link.index(output)] = str(made)
            else:
                link.insert(link.index(PROGRAM) + 1, str(made))
        link[link.index(PROGRAM)] = str(folder / "tests")
        subprocess.run(link, cwd=self.build, check=True, capture_output=True, timeout=BUILD_TIMEOUT_S)
        return folder / "tests", None

    def _run(self, program, *arguments):
        try:
            return subprocess.run([str(program), *arguments], cwd=self.root, capture_output=True, text=True,
                                  errors="replace", check=False, timeout=TEST_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return None
