#!/usr/bin/env python3
"""Counts the instructions of every main kernel under callgrind and compares them with bench/instruction_counts.json.

    instruction_guard.py RUN_KERNEL COUNTS [--update]

A count above the committed one by more than 5 % is a failure: a kernel has become slower. One below by more than 5 % is
a failure too, until the figure is brought up to date with --update. Counts are of the release build by Debian 12's g++.
"""
import json
import re
import subprocess
import sys

TOLERANCE = 0.05


def instructions(program, name):
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
                          "--toggle-collect=measured_kernel", program, name],
                         capture_output=True, text=True, check=False)
    found = re.search(r"Collected\s*:\s*(\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"instruction_guard: {name}: valgrind failed: {run.stderr.strip().splitlines()[-1:]}")
    return int(found.group(1))


def main():
    program, path = sys.argv[1:3]
    names = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    counts = {name: instructions(program, name) for name in names}
    if sys.argv[3:] == ["--update"]:
        with open(path, "w", encoding="utf-8") as file:
            json.dump(counts, file, indent=2)
            file.write("\n")
        return 0
    with open(path, encoding="utf-8") as file:
        committed = json.load(file)
    bad = 0
    for name in sorted(set(counts) | set(committed)):
        count, expected = counts.get(name), committed.get(name)
        ok = count is not None and expected is not None and abs(count - expected) <= TOLERANCE * expected
        bad += not ok
        ratio = f"{count / expected:.3f}" if count and expected else "-"
        print(f"{'ok  ' if ok else 'FAIL'} {name}: {count} instructions, committed {expected} ({ratio})")
    print(f"{len(set(counts) | set(committed)) - bad} passed, {bad} failed")
    return 1 if bad else 0


sys.exit(main())
