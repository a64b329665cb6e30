#!/usr/bin/env python3
"""Makes every single edit of the model's wiring and says what rejects it: the compilers, or which test.

    mutate.py BUILD_FOLDER [--write]

--write puts the table into docs/wiring.md; without it the table there has to be the one that is found. Ends with
`N passed, N failed`: passed are the edits that something rejects. Fails where one survives, or where the compilers
reject less than AIM of all.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import sys
import tempfile

import compilers
import edits
import mutants
import rebuilt

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DOCUMENT = ROOT / "docs" / "wiring.md"
BEGIN, END = "<!-- edits: made by laws/compile_fail/mutate.py -->\n", "<!-- end of edits -->\n"
AIM = 0.98
# The functions through which the values of a forward pass go from one operation to the next.
TARGETS = {
    "forward": ("shown", "block", "forward"),
    "kv_cache": ("through", "through_one", "spent", "entering", "leaving"),
    "layer_cache": ("push", "checked", "cache"),
}


def all_mutants(clang, scratch):
    source = scratch / "whole.cpp"
    source.write_text(mutants.WHOLE, encoding="utf-8")
    trees = edits.syntax_tree(clang, source, "lawful::model::")
    found = []
    for header, functions in TARGETS.items():
        text = (ROOT / f"model/{header}.hpp").read_bytes()
        made = edits.edits(text, trees, functions)
        if len(made) < 50:
            raise RuntimeError(f"model/{header}.hpp: expected the edits of {', '.join(functions)}, found {len(made)}")
        found += [mutants.Mutant(header, edit, text) for edit in made]
    return found


def compile_all(pool, build, scratch, found):
    """Sets the errors of all mutants: first many together, then alone those that had none of their own."""
    preludes = {header: mutants.prelude(ROOT, header) for header in TARGETS}
    alone_prelude = mutants.includes(ROOT, mutants.STACK)
    prepared = {text: compilers.both(build, (ROOT,), scratch, text) for text in {*preludes.values(), alone_prelude}}
    work = []
    for header in TARGETS:
        of_header = [mutant for mutant in found if mutant.header == header]
        ready = prepared[preludes[header]]
        for start in range(0, len(of_header), mutants.BATCH):
            batch = of_header[start:start + mutants.BATCH]
            work += [pool.submit(mutants.try_batch, ROOT, compiler, scratch, start, batch) for compiler in ready]
    for future in work:
        future.result()
    work = [pool.submit(mutants.try_alone, compiler, scratch, number, mutant) for number, mutant in enumerate(found)
            for compiler in prepared[alone_prelude] if compiler.name not in mutant.errors]
    for future in work:
        future.result()


def is_rejected(mutant, caught):
    """By both compilers: where g++ needs the whole function for it, in the build of the tests."""
    return mutant.rejected() or (caught.get(id(mutant)) or "").startswith(rebuilt.COMPILER)


def table(found, caught):
    """The table of docs/wiring.md."""
    kinds = sorted({mutant.edit.kind for mutant in found})
    lines = ["| File | Edits | Rejected by both compilers | By a wiring_fault | Caught by a test | Survived |",
             "|---|---|---|---|---|---|"]
    def row(name, some):
        rejected = [m for m in some if is_rejected(m, caught)]
        faults = sum(any("wiring_fault<" in text for text in m.errors.values()) for m in rejected)
        tested = sum(not is_rejected(m, caught) and caught[id(m)] is not None for m in some)
        return (f"| {name} | {len(some)} | {len(rejected)} ({100 * len(rejected) / len(some):.1f} %) | {faults} | "
                f"{tested} | {len(some) - len(rejected) - tested} |")
    for header in TARGETS:
        lines.append(row(f"`model/{header}.hpp`", [m for m in found if m.header == header]))
    lines.append(row("all", found))
    lines += ["", "| Kind | Edits | Rejected by both compilers | By a wiring_fault | Caught by a test | Survived |",
              "|---|---|---|---|---|---|"]
    lines += [row(kind, [m for m in found if m.edit.kind == kind]) for kind in kinds]
    lines += ["", "The edits that compile, and the test that fails:", "", "| Line | Edit | Caught by |", "|---|---|---|"]
    for mutant in found:
        if not is_rejected(mutant, caught):
            what = mutant.edit.what.replace("|", "\\|")
            lines.append(f"| `model/{mutant.header}.hpp:{mutant.line}` | {mutant.edit.kind}: {what} | "
                         f"{caught[id(mutant)] or '**nothing**'} |")
    return "\n".join(lines) + "\n"


def documented(text, write):
    """Whether docs/wiring.md has this table; writes it there where that is wanted."""
    page = DOCUMENT.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    shown, _, after = rest.partition(END)
    if write:
        DOCUMENT.write_text(before + BEGIN + text + END + after, encoding="utf-8")
        return True
    return shown == text


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    workers = max(1, len(os.sched_getaffinity(0)))
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(workers) as pool:
        scratch = pathlib.Path(folder)
        try:
            clang = compilers.Compiler("clang++", compilers.project_flags(arguments.build), (ROOT,), folder)
            found = all_mutants(clang, scratch)
            compile_all(pool, arguments.build, scratch, found)
            compiled = [mutant for mutant in found if not mutant.rejected()]
            tests = rebuilt.Tests(ROOT, arguments.build, scratch)
            catchers = pool.map(tests.catcher, range(len(compiled)), compiled)
            caught = {id(mutant): name for mutant, name in zip(compiled, catchers)}
        except compilers.Unusable as error:
            print(f"mutate: {error}\n0 passed, 1 failed")
            return 1
    text = table(found, caught)
    print(text)
    survived = [mutant for mutant in compiled if caught[id(mutant)] is None]
    failed = len(survived)
    share = sum(is_rejected(mutant, caught) for mutant in found) / len(found)
    if share < AIM:
        failed += 1
        print(f"expected {AIM:.0%} of the edits to be rejected by both compilers, found {share:.2%}")
    if not documented(text, arguments.write):
        failed += 1
        print("expected this table in docs/wiring.md, found another; mutate.py BUILD --write puts it there")
    print(f"{len(found) - len(survived)} passed, {failed} failed")
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
