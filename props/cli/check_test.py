"""The count of ./check: what did not pass, in whatever way, is counted as failed."""
import json
import subprocess

import program
from cases import Case, run_cases
from fake_machine import MEMBER, Machine

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


class Flow(Case):
    """The whole of ./check and .ci/run on a machine of stand-ins."""

    def setUp(self):
        super().setUp()
        self.machine = Machine(self.scratch)
        model = self.machine.home / ".cache" / "lawful" / MEMBER
        model.parent.mkdir(parents=True)
        model.symlink_to(program.default_model())
        self.machine.order("tests", json.dumps([{"name": "a", "suite": ["lawful"]},
                                                {"name": "b", "suite": ["lawful:large"]}]))
        self.records("OK")

    def records(self, result):
        # As if every run of Meson ran both: one too many is no failure, one too few is.
        self.machine.order("records", "".join(
            json.dumps({"name": name, "command": ["bash"], "stdout": "", "result": result, "returncode": 0}) + "\n"
            for name in ("lawful / a", "lawful:large / b")))

    def checked(self, script, *options):
        """Exit status and last line; the line is the only one on stdout."""
        status, out, err = self.machine.run(self.machine.project / script, *options)
        if script == "check":
            self.assertEqual(out.count(b"\n"), 1, err)
        return status, out.decode().splitlines()[-1], err

    def meson_runs(self):
        return [call.partition(" -C ")[2].replace(str(self.machine.project) + "/", "").split(" ", 1)
                for call in self.machine.calls("meson") if call.startswith("meson test")]

    def test_all_passed(self):
        self.assertEqual(self.checked("check")[:2], (0, "2 passed, 0 failed"))
        (folder, options), = self.meson_runs()
        self.assertEqual(folder, "build")
        self.assertIn("--no-suite large", options)

    def test_a_failed_test(self):
        self.records("FAIL")
        self.assertEqual(self.checked("check")[:2], (1, "0 passed, 2 failed"))

    def test_a_failed_build(self):
        self.machine.order("ninja", "fail")
        self.assertEqual(self.checked("check")[:2], (1, "0 passed, 1 failed"))

    def test_a_missing_package(self):
        self.machine.order("missing", "clang\n")
        self.machine.order("id", "1000")
        status, line, err = self.checked("check")
        self.assertEqual((status, line), (1, "0 passed, 1 failed"))
        self.assertIn("apt-get install -y --no-install-recommends clang\n", err)

    def test_large_adds_a_suite_and_two_builds(self):
        self.assertEqual(self.checked("check", "--large")[:2], (0, "8 passed, 0 failed"))
        self.assertEqual([folder for folder, _ in self.meson_runs()], ["build", "build", "build-clang", "build-sanitized"])
        self.assertIn("--suite large", self.meson_runs()[1][1])
        builds = [call for call in self.machine.calls("meson") if "setup" in call.split(" ")]
        self.assertTrue(any("-Db_sanitize=address,undefined" in call for call in builds), builds)

    def test_live_without_its_script_is_a_failure(self):
        self.assertEqual(self.checked("check", "--live")[:2], (1, "2 passed, 1 failed"))

    def test_live_counts_what_it_says(self):
        live = self.machine.project / "reference" / "live"
        live.parent.mkdir()
        for text, expected in (("echo 3 passed, 0 failed; echo x; echo 4 passed, 1 failed; exit 1", (1, 9, 1)),
                               ("echo 3 passed, 0 failed", (0, 5, 0)), ("echo 3 passed, 0 failed; exit 1", (1, 5, 1)),
                               ("true", (1, 2, 1))):
            with self.subTest(text=text):
                live.write_text("#!/bin/bash\n" + text + "\n")
                live.chmod(0o755)
                status, passed, failed = expected
                self.assertEqual(self.checked("check", "--live")[:2], (status, f"{passed} passed, {failed} failed"))

    def test_ci_adds_both_up(self):
        self.assertEqual(self.checked(".ci/run")[:2], (0, "2 passed, 0 failed"))
        self.assertEqual(self.checked(".ci/run", "--large")[:2], (0, "8 passed, 0 failed"))
        self.assertEqual([folder for folder, _ in self.meson_runs()][1:],
                         ["build", "build", "build-clang", "build-sanitized"])
        self.records("FAIL")
        self.assertEqual(self.checked(".ci/run", "--large")[:2], (1, "0 passed, 8 failed"))

    def test_ci_without_a_count_is_a_failure(self):
        (self.machine.project / "check").write_text("#!/bin/bash\necho fine\n")
        self.assertEqual(self.checked(".ci/run", "--large")[:2], (1, "0 passed, 2 failed"))


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
