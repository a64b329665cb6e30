#!/usr/bin/env python3
"""Counts what one `meson test` run did: prints `PASSED FAILED`, and on stderr a line for each program that failed.

    tally.py BUILD_FOLDER LOG STATUS [SUITE OPTION…]

LOG is the run's testlog.json, STATUS its exit status, the suite options (--suite NAME, --no-suite NAME) those it was
given. A doctest program counts with its test cases, a program whose last line is `N passed, N failed` with those, any
other as one. A program that crashed, ran too long, was skipped, ran no case, or left no record counts as failed.
"""
import json
import os
import re
import subprocess
import sys

DOCTEST = re.compile(r"^\[doctest\] test cases: +\d+ \| +(\d+) passed \| +(\d+) failed", re.M)
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed\s*\Z", re.M)


def counts(record):
    """Passed and failed cases of one program."""
    output = record.get("stdout") or ""
    found = DOCTEST.findall(output)
    plain = PLAIN.search(output)
    in_order = record["result"] in ("OK", "EXPECTEDFAIL")
    if found:
        passed, failed = (sum(int(pair[side]) for pair in found) for side in (0, 1))
    elif plain:
        passed, failed = int(plain[1]), int(plain[2])
    elif os.path.basename(record["command"][0]).startswith("test_"):
        passed, failed = 0, 1  # a doctest program without doctest's summary did not come to its end
    else:
        return (1, 0) if in_order else (0, 1)
    if failed == 0 and (not in_order or passed == 0):
        failed = 1
    return passed, failed


def is_wanted(suites, options):
    names = {suite.rpartition(":")[2] for suite in suites}
    wanted = {name for option, name in options if option == "--suite"}
    unwanted = {name for option, name in options if option == "--no-suite"}
    return (not wanted or bool(names & wanted)) and not names & unwanted


def expected(folder, options):
    """The tests that Meson knows and these options choose: how often each name."""
    listing = subprocess.run(["meson", "introspect", "--tests", folder], capture_output=True, text=True, check=True)
    return [test["name"] for test in json.loads(listing.stdout) if is_wanted(test["suite"], options)]


def records(log):
    try:
        with open(log, encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except (OSError, json.JSONDecodeError) as error:
        print(f"check: {log}: {error}", file=sys.stderr)
        return []


def bare(name):
    """Meson writes `project:suite / name` in its log."""
    return name.rpartition(" / ")[2]


def main():
    folder, log, status = sys.argv[1:4]
    options = list(zip(sys.argv[4::2], sys.argv[5::2]))
    passed = failed = 0
    missing = expected(folder, options)
    if not missing:
        print(f"check: no tests in {folder} for {options}", file=sys.stderr)
        failed += 1
    for record in records(log):
        name = bare(record["name"])
        if name in missing:
            missing.remove(name)
        good, bad = counts(record)
        passed, failed = passed + good, failed + bad
        if bad:
            print(f"check: {os.path.basename(folder)}: {name}: {good} passed, {bad} failed "
                  f"({record['result']}, exit status {record['returncode']})", file=sys.stderr)
    for name in missing:
        failed += 1
        print(f"check: {os.path.basename(folder)}: {name}: left no record", file=sys.stderr)
    if status != "0" and failed == 0:
        failed = 1
        print(f"check: meson test in {folder}: exit status {status}", file=sys.stderr)
    print(passed, failed)


if __name__ == "__main__":
    main()
