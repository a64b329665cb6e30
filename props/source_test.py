"""The sources as a whole: includes run one way, no test is forgotten, nothing is left over."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "props" / "cli"))
from cases import Case, run_cases  # noqa: E402

CODE = (".cpp", ".hpp", ".py", ".bash")
GENERATED = {"tokenizer/unicode_table.hpp"}
MOST_LINES = 350
MOST_BYTES_OF_VALUES = 8 << 20


def project_files():
    """Every file of the project by its path from the root: no build folders, nothing hidden but .ci."""
    found = {}
    for path in sorted(ROOT.rglob("*")):
        name = path.relative_to(ROOT)
        hidden = any(part.startswith(".") and part != ".ci" or part == "__pycache__" for part in name.parts)
        if path.is_file() and not hidden and not name.parts[0].startswith("build"):
            found[str(name)] = path
    return found


FILES = project_files()


def texts(suffixes=CODE):
    for name, path in FILES.items():
        if path.suffix in suffixes or suffixes == CODE and name in ("lawful", "check", ".ci/run"):
            yield name, path.read_text(encoding="utf-8")


def allowed_includes():
    """{folder: the folders that it may include} of docs/architecture.md."""
    rows = re.findall(r"^\| (\w+) \| [^|]*\| ?([\w ]*)\|$", FILES["docs/architecture.md"].read_text("utf-8"), re.M)
    return {folder: {folder, *others.split()} for folder, others in rows if folder != "folder"}


class Includes(Case):
    def test_they_run_one_way(self):
        allowed = allowed_includes()
        self.assertEqual(set(allowed), {name.split("/")[0] for name in FILES if name.endswith((".cpp", ".hpp"))})
        wrong = [f"{name}: {target}" for name, text in texts((".cpp", ".hpp"))
                 for target in re.findall(r'^#include "([^"]+)"', text, re.M)
                 if target.split("/")[0] not in allowed[name.split("/")[0]]]
        self.assertEqual(wrong, [])

    def test_the_table_has_no_circle(self):
        allowed = allowed_includes()
        for folder, others in allowed.items():
            for other in others - {folder}:
                self.assertNotIn(folder, allowed[other], f"{folder} and {other}")

    def test_headers_are_read_once(self):
        bare = [name for name, text in texts((".hpp",)) if "#pragma once" not in text and not name.endswith("-inl.hpp")]
        self.assertEqual(bare, [])


class Tests(Case):
    def test_none_is_forgotten(self):
        """Every file of tests is named in a meson.build of its folder or above."""
        builds = {name: path.read_text("utf-8") for name, path in FILES.items() if name.endswith("meson.build")}
        forgotten = []
        for name in FILES:
            folder, _, file = name.rpartition("/")
            stem, dot, suffix = file.partition(".")
            if not stem.endswith("_test") or dot + suffix not in (".cpp", ".py"):
                continue
            near = [text for build, text in builds.items() if folder.startswith(build.rpartition("/")[0])]
            # A list of names may leave the ending out.
            words = (f"'{file}'", f"/{file}'", f"'{stem.removesuffix('_test')}'")
            if not any(word in text for text in near for word in words):
                forgotten.append(name)
        self.assertEqual(forgotten, [])

    def test_no_class_is_forgotten(self):
        """Every class of a file whose classes run as tests of their own is named in its meson.build."""
        build = FILES["props/cli/meson.build"].read_text("utf-8")
        in_parts = re.findall(r"files\('(\w+_test)\.py'\)(?:, '|$)|'(\w+)': \[", build, re.M)
        names = {whole or part + "_test" for whole, part in in_parts}
        self.assertLessEqual({"batch_test", "chat_test", "golden_test", "output_test", "sampling_test"}, names)
        for name in sorted(names):
            found = re.findall(r"^class (\w+)\((\S+)\)", FILES[f"props/cli/{name}.py"].read_text("utf-8"), re.M)
            bases = {base for _, base in found}
            self.assertEqual([case for case, _ in found if case not in bases and f"'{case}'" not in build], [], name)


class Faults(Case):
    """docs/faults.md: a row is held by tests that are there, or says why it cannot occur."""

    HELD = re.compile(r"`([^`]+)`: (\*[^*]+\*(?:; \*[^*]+\*)*)")

    @staticmethod
    def rows():
        text = FILES["docs/faults.md"].read_text("utf-8")
        return re.findall(r"^\| (B\d+) \| [^|]+ \| ([^|]+) \|$", text, re.M)

    def test_every_row_is_held(self):
        self.assertGreater(len(self.rows()), 50)
        loose = [row for row, cell in self.rows() for part in cell.split("<br>")
                 if not self.HELD.fullmatch(part) and not part.startswith("cannot occur: ")]
        self.assertEqual(loose, [])

    def test_the_tests_are_there(self):
        missing = []
        for row, cell in self.rows():
            for file, names in self.HELD.findall(cell):
                text = FILES[file].read_text("utf-8") if file in FILES else ""
                for name in names.strip("*").split("*; *"):
                    wanted = f"    def {name}(self" if file.endswith(".py") else f'TEST_CASE("{name}")'
                    if wanted not in text:
                        missing.append(f"{row}: {file}: {name}")
        self.assertEqual(missing, [])


class Cleanliness(Case):
    def test_a_file_has_one_job(self):
        long = [f"{name}: {text.count(chr(10))}" for name, text in texts()
                if text.count("\n") > MOST_LINES and name not in GENERATED]
        self.assertEqual(long, [])

    def test_no_catch_all_names(self):
        self.assertEqual([name for name in FILES if re.search(r"(utils?|common|helpers?|misc)\b", name)], [])

    def test_no_left_overs(self):
        words = "|".join(("TO" + "DO", "FIX" + "ME", "-ffast" + "-math", "std::" + "regex"))
        # Sentences about them are allowed to name them.
        found = [f"{name}: {line.strip()}" for name, text in texts() for line in text.splitlines()
                 if re.search(words, line) and not re.search(r"(//|#|\bno\b|\bnot\b).*(" + words + ")", line)]
        self.assertEqual(found, [])

    def test_no_path_of_a_machine_and_no_registry(self):
        place = r"(^|[^\w.])/(work|farm|root)/|https?://[\w.-]*(py" + r"pi|crates|debian|npmjs|maven)"
        found = [f"{name}: {line.strip()[:100]}" for name, text in texts((*CODE, ".md", ".txt", ".build"))
                 for line in text.splitlines() if re.search(place, line)]
        self.assertEqual(found, [])

    def test_reference_values_are_small(self):
        self.assertLess(sum(path.stat().st_size for name, path in FILES.items() if name.startswith("reference/values/")),
                        MOST_BYTES_OF_VALUES)


if __name__ == "__main__":
    run_cases()
