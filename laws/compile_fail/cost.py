#!/usr/bin/env python3
"""The release code of a typed operation is that of the same operation without types: the same instructions,
up to the order of independent ones.

    cost.py BUILD_FOLDER
"""
import pathlib
import re
import subprocess
import sys
import tempfile

import compilers

HERE = pathlib.Path(__file__).resolve().parent
OPERATIONS = ("swiglu", "norm")


def instructions(assembly, name):
    """The instructions of one function, its local labels numbered in the order in which they come."""
    body = re.search(rf"^{name}:[^\n]*\n(.*?)^\s*\.cfi_endproc", assembly, re.M | re.S)
    if body is None:
        raise RuntimeError(f"expected the function {name} in the compiler's output, found none")
    lines, labels = [], {}
    for line in body[1].splitlines():
        line = re.sub(r"\s*[#;].*$", "", line).strip()
        if not line or (line.startswith(".") and not re.match(r"\.L\w+:", line)):
            continue
        line = re.sub(r"\.L\w+", lambda found: labels.setdefault(found[0], f"L{len(labels)}"), line)
        lines.append(re.sub(r"\s+", " ", line.replace(f"{name}", "FUNCTION")))
    return [line for line in lines if not re.fullmatch(r"L\d+:", line)]


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        for name in compilers.NAMES:
            try:
                compiler = compilers.Compiler(name, compilers.project_flags(sys.argv[1]), (HERE.parent.parent,), scratch)
            except compilers.Unusable as error:
                print(f"cost: {error}\n0 passed, 1 failed")
                return 1
            done = subprocess.run([compiler.path, *compiler.flags, "-O3", "-fno-sanitize=all", "-g0", "-S", "-o", "-",
                                   str(HERE / "cost.cpp")], capture_output=True, text=True, check=True)
            for operation in OPERATIONS:
                typed, plain = (instructions(done.stdout, f"{operation}_{kind}") for kind in ("typed", "plain"))
                if sorted(typed) == sorted(plain):
                    passed += 1
                    print(f"{name}: {operation}: {len(typed)} instructions, typed and plain alike")
                else:
                    failed += 1
                    print(f"FAILED {name}: {operation}: {len(typed)} typed instructions, {len(plain)} plain ones")
                    print("\n".join(f"  {t:50} {p}" for t, p in zip(typed, plain) if t != p))
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
