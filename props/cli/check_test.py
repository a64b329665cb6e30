"""The count of ./check: what did not pass, in whatever way, is counted as failed."""
import json
import subprocess

import program
from cases import Case, run_cases

DOCTEST = "noise\n[doctest] test cases:  {} |  {} passed | {} failed | 0 skipped\n[doctest] Status\n"
MESON = '#!/bin/bash\n[[ $1 == introspect ]] && exec cat "${0%/*}/tests.json"\nexit 1\n'


class Tally(Case):
    def setUp(self):
        super().setUp()
        meson = self.scratch / "meson"
        meson.write_text(MESON)
        meson.chmod(0o755)

    def tally(self, records, known=None, status="0", options=()):
        """Passed and failed over these records of (name, command, stdout, result)."""
        names = [record[0] for record in records] if known is None else known
        tests = [name if isinstance(name, tuple) else (name, ["lawful"]) for name in names]
        (self.scratch / "tests.json").write_text(
            json.dumps([{"name": name, "suite": suites} for name, suites in tests]))
        log = self.scratch / "log.json"
        log.write_text("".join(
            json.dumps({"name": name, "command": [command], "stdout": out, "result": result, "returncode": 0}) + "\n"
            for name, command, out, result in records))
        done = subprocess.run(["/usr/bin/python3", "-B", program.ROOT / "props" / "tally.py", self.scratch, log, status,
                               *options], capture_output=True, check=True,
                              env={"PATH": f"{self.scratch}:/usr/bin:/bin"})
        return tuple(map(int, done.stdout.split()))

    def test_doctest_cases_are_counted(self):
        self.assertEqual(self.tally([("a", "/b/test_a", DOCTEST.format(5, 5, 0), "OK"),
                                     ("b", "/b/test_b", DOCTEST.format(5, 3, 2), "FAIL")]), (8, 2))

    def test_plain_counts_and_plain_programs(self):
        self.assertEqual(self.tally([("a", "python3", "12 passed, 1 failed\n", "FAIL"), ("b", "bash", "hello", "OK"),
                                     ("c", "bash", "", "FAIL")]), (13, 2))

    def test_a_crash_or_time_out_is_a_failure_even_after_all_cases_passed(self):
        for result in ("FAIL", "TIMEOUT", "ERROR", "INTERRUPT", "SKIP", "UNEXPECTEDPASS"):
            with self.subTest(result=result):
                self.assertEqual(self.tally([("a", "/b/test_a", DOCTEST.format(5, 5, 0), result)]), (5, 1))
                self.assertEqual(self.tally([("a", "/b/test_a", "cut off", result)]), (0, 1))
                self.assertEqual(self.tally([("a", "bash", "", result)]), (0, 1))

    def test_no_cases_are_a_failure(self):
        self.assertEqual(self.tally([("a", "/b/test_a", DOCTEST.format(0, 0, 0), "OK")]), (0, 1))
        self.assertEqual(self.tally([("a", "/b/test_a", "", "OK")]), (0, 1))
        self.assertEqual(self.tally([("a", "python3", "0 passed, 0 failed\n", "OK")]), (0, 1))
        self.assertEqual(self.tally([]), (0, 1))

    def test_a_test_without_a_record_is_a_failure(self):
        self.assertEqual(self.tally([("lawful:source / a", "bash", "", "OK")], known=["a", "b"]), (1, 1))

    def test_a_bad_exit_of_meson_is_a_failure(self):
        self.assertEqual(self.tally([("a", "bash", "", "OK")], status="1"), (1, 1))

    def test_only_the_chosen_suites_are_expected(self):
        known = [("a", ["lawful"]), ("b", ["lawful:large"])]
        record = [("a", "bash", "", "OK")]
        self.assertEqual(self.tally(record, known, options=("--no-suite", "large")), (1, 0))
        self.assertEqual(self.tally(record, known), (1, 1))
        self.assertEqual(self.tally(record, known, options=("--suite", "large")), (1, 1))


class Usage(Case):
    def test_an_unknown_option(self):
        done = subprocess.run([program.ROOT / "check", "--lagre"], capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count(b"\n")), (2, b"", 1))
        self.assertIn(b"--lagre", done.stderr)

    def test_help(self):
        done = subprocess.run([program.ROOT / "check", "--help"], capture_output=True, check=True)
        self.assertIn(b"./check --large", done.stdout)


if __name__ == "__main__":
    run_cases()
