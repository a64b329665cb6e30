"""Builds every variant of mutations/table.py in a copy of its own and checks that its law or test catches it."""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "props" / "cli"), str(pathlib.Path(__file__).resolve().parent / "mutations")]
from cases import Case, run_cases  # noqa: E402
from table import MUTATIONS  # noqa: E402

BUILD = pathlib.Path(os.environ["LAWFUL_BUILD"]).resolve()
COMPILER = os.environ["LAWFUL_COMPILER"]
FOLDERS = ["io", "kernels", "tokenizer", "laws", "model", "props"]
LAWS = ("props/laws/test_laws_running_code", "props/laws/running_code_test.cpp")
TEXTS = ("props/model/test_model", "props/model/batch_test.cpp")


def mutated_copy(folder, file, before, after):
    """The sources in `folder`, with one edit. The text must be there, once."""
    for name in FOLDERS:
        shutil.copytree(ROOT / name, folder / name)
    path = folder / file
    text = path.read_text()
    if text.count(before) != 1:
        raise ValueError(f"{file}: expected once, found {text.count(before)} times: {before}")
    path.write_text(text.replace(before, after))


def checked(folder, source):
    """The compiler's word on a source of the copy: status and message."""
    done = subprocess.run([*shlex.split(COMPILER), "-std=c++20", "-fsyntax-only", f"-I{folder}", source],
                          capture_output=True, text=True, timeout=900)
    return done.returncode, done.stderr


def proof_of(folder, into, law):
    """What laws/proofs.cpp asserts of one law, alone."""
    source = into / f"{law}.cpp"
    source.write_text(f"""#include "laws/proof.hpp"
#include "laws/registry.hpp"
namespace lawful::laws {{
template <class... Models>
consteval bool proved_for(types<Models...>) {{ return (proved<{law}, Models, Product>() && ...); }}
static_assert(proved_for(models_of<{law}>{{}}));
}}
""")
    return checked(folder, source)


def compiled(folder, source):
    """An object of a source of the copy, by the build's own command with less optimization."""
    known = {pathlib.Path(BUILD, e["file"]).resolve(): e["command"] for e in json.loads((BUILD / "compile_commands.json").read_text())}
    words = shlex.split(known[(ROOT / source).resolve()])
    target = folder / (source.replace("/", "_") + ".o")
    for flag, values in (("-o", 1), ("-c", 1), ("-MF", 1), ("-MQ", 1)):
        del words[words.index(flag):words.index(flag) + values + 1]
    words = [w for w in words if w not in ("-MD", "-O3", "-Werror") and not w.startswith("-g")]
    roots = {f"-I{os.path.relpath(ROOT, BUILD)}", f"-I{ROOT}"}
    words = [f"-I{folder}" if w in roots else w for w in words]
    subprocess.run([*words, "-O1", "-o", target, "-c", folder / source], cwd=BUILD, check=True, capture_output=True, text=True)
    return target


def running(folder, file, test=LAWS, options=()):
    """The result of a test program with what was mutated: status and output. A mutated header is compiled into the
    program's own source, any other file goes before the library that has the original."""
    program, source = test
    mutated = compiled(folder, source if file.endswith(".hpp") else file)
    link = subprocess.run(["ninja", "-t", "commands", program], cwd=BUILD, check=True, capture_output=True, text=True)
    words = shlex.split(link.stdout.splitlines()[-1])
    words[words.index("-o") + 1] = str(folder / "test")
    own = next(w for w in words if w.endswith(f"{pathlib.PurePath(source).name}.o"))
    at = words.index(own)
    words[at:at + 1] = [str(mutated)] + ([] if file.endswith(".hpp") else [own])
    subprocess.run(words, cwd=BUILD, check=True, capture_output=True, text=True)
    done = subprocess.run([folder / "test", *options], cwd=ROOT, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout


def verdict(mutation):
    """Nothing where the mutation is caught as the table says, else what happened."""
    file, before, after, catcher = mutation
    kind, _, expected = catcher.partition(" ")
    with tempfile.TemporaryDirectory(prefix="lawful-mutation-") as name:
        folder = pathlib.Path(name)
        mutated_copy(folder, file, before, after)
        if kind == "law":
            status, text = proof_of(folder, folder, expected)
        elif kind == "running":
            status, text = running(folder, file)
        elif kind == "tests":
            status, text = running(folder, file, TEXTS, [f"--source-file=*{expected}"])
        else:
            status, text = checked(folder, folder / "laws" / "proofs.cpp")
    if status == 0:
        return "survived"
    if kind == "law":
        refuted = re.search(rf"refuted<(lawful::laws::)?{expected},", text)
        return None if refuted else f"does not compile, but not by {expected}: {text[:600]}"
    if kind in ("running", "tests") and status < 0:
        return None
    return None if expected in text else f"caught, but without the words {expected!r}: {text[-600:]}"


class Mutations(Case):
    def test_there_are_at_least_forty_of_the_product(self):
        self.assertGreaterEqual(sum(not m[0].startswith("laws/") for m in MUTATIONS), 40)
        self.assertEqual(len({m[:3] for m in MUTATIONS}), len(MUTATIONS))

    def test_the_unmutated_sources_pass(self):
        laws = sorted({m[3].split()[1] for m in MUTATIONS if m[3].startswith("law ")})
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for law, result in zip(laws, pool.map(lambda law: proof_of(ROOT, self.scratch, law), laws)):
                with self.subTest(law=law):
                    self.assertEqual(result, (0, ""))
        mutated_copy(self.scratch, "kernels/index.hpp", "struct Index {", "struct Index {")
        self.assertEqual(running(self.scratch, "kernels/index.hpp")[0], 0)
        self.assertEqual(running(self.scratch, "model/batch.cpp", TEXTS)[0], 0)

    def test_every_mutation_is_caught_by_its_law(self):
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for mutation, result in zip(MUTATIONS, pool.map(verdict, MUTATIONS)):
                with self.subTest(file=mutation[0], was=mutation[1], now=mutation[2]):
                    self.assertIsNone(result)
        print(f"{len(MUTATIONS)} mutations")


if __name__ == "__main__":
    run_cases()
