#!/usr/bin/env python3
"""Every case's wrong line is refused by both compilers, in the expected words, and its right line is accepted. So is
every exchange of two weights of a layer.

    check.py BUILD_FOLDER [--write] [CASE…]

--write puts what the compilers say of some cases into README.md and docs/wiring.md; without it they have to show that.

Compiles with the flags of BUILD_FOLDER, on all processors. Ends with `N passed, N failed`.
"""
import argparse
import concurrent.futures
import os
import pathlib
import sys
import tempfile

import case as cases
import compilers
import document
import pairs

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent


def complaint(verdict, sentence):
    """Why a refused file does not prove what it should; None where it does."""
    if verdict.crashed:
        return f"expected a refusal, found a crash of the compiler:\n{verdict.output}"
    if verdict.accepted:
        return f"expected the refusal\n  {sentence}\nfound that it compiles"
    errors = verdict.errors()
    if not errors or sentence not in errors[0][1]:
        found = errors[0][1] if errors else "no error in the compiler's usual form"
        return f"expected the first error to say\n  {sentence}\nfound\n  {found}\n{verdict.output}"
    return None


def wrong_is_refused(compiler, case, model):
    return complaint(compiler.check(case.path, (f"MODEL={model}", "WRONG")), case.sentence(model))


def right_is_accepted(compiler, case, model):
    verdict = compiler.check(case.path, (f"MODEL={model}",))
    return None if verdict.accepted else f"expected the right line to compile, found\n{verdict.output}"


def jobs(found, compilers_):
    """(name, function) of each compilation to make."""
    for case in found:
        for compiler in compilers_:
            for model in case.models:
                name = f"{case.name} in {model}, {compiler.name}"
                yield f"{name}: wrong", lambda c=case, k=compiler, m=model: wrong_is_refused(k, c, m)
                yield f"{name}: right", lambda c=case, k=compiler, m=model: right_is_accepted(k, c, m)


def page_is_true(page, found, ready, write):
    try:
        text = document.section(page, found, ready, ROOT)
    except cases.Malformed as error:
        return str(error)
    if document.is_shown(ROOT / page, text, write):
        return None
    return f"expected {page} to show what the compilers say, found other text; check.py BUILD --write renews it"


def run(work):
    """Runs all of `work` side by side; gives the counts of passed and failed, and prints each failure."""
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(max(1, len(os.sched_getaffinity(0)))) as pool:
        running = [(name, pool.submit(function)) for name, function in work]
        for name, future in running:
            reason = future.result()
            if reason is None:
                passed += 1
            else:
                failed += 1
                print(f"FAILED {name}\n{reason}\n", flush=True)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("case", nargs="*")
    arguments = parser.parse_args()
    found, malformed = cases.read_folder(HERE / "cases")
    for name, reason in malformed:
        print(f"FAILED {name}\n{reason}\n")
    if arguments.case:
        found = [case for case in found if case.name in arguments.case]
    with tempfile.TemporaryDirectory() as scratch:
        try:
            ready = compilers.both(arguments.build, (HERE, ROOT), scratch, '#include "parts.hpp"\n')
            work = list(jobs(found, ready))
            if not arguments.case:
                work += [(page, lambda page=page: page_is_true(page, found, ready, arguments.write))
                         for page in document.SHOWN]
                exchanges = pairs.Pairs(ROOT, pathlib.Path(scratch))
                for compiler in compilers.both(arguments.build, (ROOT,), scratch, pairs.PRELUDE):
                    work += exchanges.jobs(compiler)
        except compilers.Unusable as error:
            print(f"compile_fail: {error}\n0 passed, 1 failed")
            return 1
        passed, failed = run(work)
    failed += len(malformed)
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
