"""The project as installed: the examples compile with pkg-config alone and print what the program prints; headers are
whole; the prefix may be moved; docs/library.md shows the examples as they are.

LAWFUL_BUILD names the build folder, LAWFUL_COMPILER the compiler.
"""
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
import program  # noqa: E402
from cases import run_cases  # noqa: E402

sys.path.insert(0, str(program.ROOT / "reference"))
from safetensors_file import SafetensorsFile  # noqa: E402

TEXT = "The capital of France is"
EXAMPLES = ("next_token", "own_sampling", "intermediates")


def shell(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


class Installed:
    """An installed tree, moved after the installation, and the examples compiled against it."""

    def __init__(self, folder):
        shell("meson", "install", "--no-rebuild", "-C", os.environ["LAWFUL_BUILD"], "--destdir", str(folder / "first"))
        (folder / "first").rename(folder / "moved")
        self.program = next((folder / "moved").rglob("bin/lawful"))
        self.prefix = self.program.parents[1]
        self.headers = self.prefix / "include" / "lawful"
        self.environment = {**os.environ, "PKG_CONFIG_PATH": str(next(self.prefix.rglob("lawful.pc")).parent)}
        self.cflags, self.libs = (self.flags(kind) for kind in ("--cflags", "--libs"))
        self.folder = folder
        for name in EXAMPLES:
            source = next(self.prefix.rglob(f"share/doc/lawful/{name}.cpp"))
            self.compile(str(source), "-O1", "-o", str(folder / name), *self.libs)

    def flags(self, kind):
        return shell("pkg-config", kind, "lawful", env=self.environment).split()

    def compile(self, source, *arguments):
        shell(*os.environ["LAWFUL_COMPILER"].split(), "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", source,
              *self.cflags, *arguments, cwd=self.folder)

    def example(self, name, *arguments):
        return shell(str(self.folder / name), str(program.default_model()), *arguments)


class InstalledCase(program.ProgramCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        scratch = tempfile.TemporaryDirectory(prefix="lawful-installed-")
        cls.addClassCleanup(scratch.cleanup)
        cls.tree = Installed(pathlib.Path(scratch.name))


class Examples(InstalledCase):
    def values(self, command, *arguments):
        path = self.scratch / "values.safetensors"
        self.done(command, TEXT, "-o", str(path), *arguments)
        return SafetensorsFile(path)

    def test_next_token_prints_the_softmax_of_the_programs_logits(self):
        logits = self.values("logits").tensor("logits")[-1].astype("float64")
        p = [math.exp(x - logits.max()) for x in logits]
        total = math.fsum(p)
        order = sorted(range(len(p)), key=lambda i: (-p[i], i))[:5]
        shown = [line.split(maxsplit=2) for line in self.tree.example("next_token", TEXT).splitlines()]
        self.assertEqual([int(fields[0]) for fields in shown], order)
        for fields, i in zip(shown, order):
            self.assertAlmostEqual(float(fields[1]), p[i] / total, delta=1e-6)

    def test_sampling_at_temperature_0_is_the_programs_greedy_text(self):
        ours = self.done("generate", "-n", "12", TEXT).out.decode()
        self.assertEqual(self.tree.example("own_sampling", TEXT, "12", "0", "1"), ours)

    def test_sampling_depends_on_the_seed_alone(self):
        texts = [self.tree.example("own_sampling", TEXT, "12", "1.5", seed) for seed in ("7", "7", "8")]
        self.assertEqual(texts[0], texts[1])
        self.assertNotEqual(texts[0], texts[2])

    def test_intermediates_are_those_of_trace(self):
        traced = self.values("trace")
        lines = self.tree.example("intermediates", TEXT).splitlines()
        self.assertEqual(len(lines), 30)
        for layer, line in enumerate(lines):
            shown = re.fullmatch(r"layer +(\d+) +after attention +([\d.]+) +after MLP +([\d.]+)", line)
            self.assertEqual(int(shown[1]), layer)
            for name, text in zip("ay", shown.groups()[1:]):
                row = traced.tensor(f"layer.{layer}.{name}")[-1].astype("float64")
                self.assertAlmostEqual(float(text), math.sqrt(float(row @ row)), delta=1e-3)

    def test_bad_input_is_one_line(self):
        for name, rest in (("next_token", ["x"]), ("own_sampling", ["x", "1", "0", "1"]), ("intermediates", ["x"])):
            done = subprocess.run([self.tree.folder / name, "/nonexistent", *rest], capture_output=True, text=True,
                                  check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertRegex(done.stderr, rf"\A{name}: /nonexistent[^\n]*expected[^\n]*found[^\n]*\n\Z")


class Tree(InstalledCase):
    def test_every_header_that_a_header_includes_is_there(self):
        headers = list(self.tree.headers.rglob("*.hpp"))
        self.assertGreater(len(headers), 20)
        missing = [f"{header}: {name}" for header in headers
                   for name in re.findall(r'^#include "([^"]+)"', header.read_text("utf-8"), re.M)
                   if not (self.tree.headers / name).exists()]
        self.assertEqual(missing, [])

    def test_headers_compile_in_either_order(self):
        names = sorted(str(header.relative_to(self.tree.headers)) for header in self.tree.headers.rglob("*.hpp"))
        for order in (names, names[::-1]):
            source = self.scratch / "all.cpp"
            source.write_text("".join(f'#include "{name}"\n' for name in order))
            self.tree.compile(str(source), "-fsyntax-only")

    def test_the_installed_program_runs_and_finds_its_solver(self):
        self.assertTrue(shell(str(self.tree.program), "--version").startswith("lawful "))
        self.assertIn("proved three ways", shell(str(self.tree.program), "laws", "add_zero", "--prove"))

    def test_completion_lies_where_shells_look(self):
        for shell_name, place in (("bash", "bash-completion/completions/lawful"), ("zsh", "zsh/site-functions/_lawful")):
            text = (self.tree.prefix / "share" / place).read_text("utf-8")
            self.assertEqual(text, shell(str(self.tree.program), "completion", shell_name))

    def test_flags_name_the_moved_prefix_and_nothing_of_the_build(self):
        self.assertIn(f"-I{self.tree.headers}", [os.path.normpath(flag) for flag in self.tree.cflags])
        text = next(self.tree.prefix.rglob("lawful.pc")).read_text("utf-8")
        for place in (str(program.ROOT), os.environ["LAWFUL_BUILD"]):
            self.assertNotIn(place, text)


class Page(program.ProgramCase):
    def test_it_shows_the_examples_as_they_are(self):
        page = (program.ROOT / "docs" / "library.md").read_text("utf-8")
        blocks = re.findall(r"```cpp\n(.*?)```\n", page, re.S)
        self.assertEqual(blocks, [(program.ROOT / "examples" / f"{name}.cpp").read_text("utf-8") for name in EXAMPLES])

    def test_it_names_the_headers_that_are_installed(self):
        page = (program.ROOT / "docs" / "library.md").read_text("utf-8").split("```")
        listed = (program.ROOT / "install" / "meson.build").read_text("utf-8").split("headers = {")[1].split("}")[0]
        self.assertEqual(sorted(set(re.findall(r"(\w+)\.hpp`", "".join(page[::2])))),
                         sorted(set(re.findall(r"'(\w+)'(?=[,\]])", listed))))


if __name__ == "__main__":
    assert shutil.which("pkg-config"), "pkg-config is not installed"
    run_cases()
