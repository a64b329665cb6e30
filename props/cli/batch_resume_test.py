"""`lawful batch` goes on where it was ended: no kill, full disk or Ctrl-C loses or repeats a line."""
import json
import os
import random
import resource
import signal
import time

import program
from batch_case import BatchCase, lines, requests
from cases import run_cases


class Resuming(BatchCase):
    TEXT = lines(requests(20, seed=5, tokens=24))
    SHORT = lines(requests(9, seed=5, tokens=8))
    # Each is part of what the output is made of, also where nothing is drawn.
    DEFAULTS = (("--temperature=0.5",), *(("--temperature=0", one) for one in ("--top-k=3", "--top-p=0.5", "--min-p=0.1", "--seed=1")),
                ("--repetition-penalty=1.1",), ("--stop=x",))
    whole = None

    def command(self, *arguments):
        return ("batch", str(self.input), "-o", str(self.output), "--parallel", "4", *arguments)

    def journal(self):
        """The lines of the whole records so far."""
        path = self.scratch / "out.jsonl.journal"
        content = path.read_bytes() if path.exists() else b""
        return [json.loads(line)["line"] for line in content.split(b"\n")[:-1]]

    def undisturbed(self):
        """The output of one run over TEXT, made once for all tests; only the input is left in the folder."""
        if Resuming.whole is None:
            Resuming.whole = self.batch(self.TEXT, "--parallel", "7")
            for name in ("out.jsonl", "out.jsonl.run"):
                self.scratch.joinpath(name).unlink()
        self.input.write_text(self.TEXT, encoding="utf-8")
        return Resuming.whole

    def until_records(self, process, count):
        """Waits until the journal has `count` records, or the run is over."""
        end = time.monotonic() + program.TIMEOUT_S
        while process.poll() is None and len(self.journal()) < count and time.monotonic() < end:
            time.sleep(0.002)

    def test_kills_at_random_points_lose_and_repeat_nothing(self):
        whole = self.undisturbed()
        numbers, seen, kills = random.Random(6), [], 0
        while not self.output.exists():
            process = program.start(*self.command("-t", str(1 + kills % 3)))
            self.addCleanup(process.kill)
            if kills % 4 == 3:  # while it loads, or soon after
                time.sleep(numbers.random() * 0.5)
            else:
                self.until_records(process, len(seen) + numbers.randrange(0, 5))
                time.sleep(numbers.random() * 0.05)
            process.kill()
            process.communicate(timeout=program.TIMEOUT_S)
            found = self.journal()
            if self.output.exists():
                break
            self.assertEqual(found[:len(seen)], seen, "a record that was there is there no more")
            self.assertEqual(len(set(found)), len(found), "a line has two records")
            seen, kills = found, kills + 1
            self.assertLess(kills, 200)
        self.assertGreater(kills, 3)
        self.done(*self.command())
        self.assertEqual(self.output.read_bytes(), whole)
        self.assertEqual(sorted(os.listdir(self.scratch)), ["in.jsonl", "out.jsonl", "out.jsonl.run"])

    def test_a_torn_record_is_done_again(self):
        whole = self.batch(self.SHORT)
        journal = self.scratch / "out.jsonl.journal"
        records = whole.splitlines(keepends=True)
        for cut in (1, 8, 9, len(records[5]) - 1):
            with self.subTest(cut=cut):
                self.output.unlink(missing_ok=True)
                journal.write_bytes(b"".join(reversed(records[:5])) + records[5][:cut])
                self.done(*self.command())
                self.assertEqual(self.output.read_bytes(), whole)
                self.assertFalse(journal.exists())

    def test_ctrl_c_keeps_what_was_made_and_the_same_command_goes_on(self):
        whole = self.undisturbed()
        process = program.start(*self.command())
        self.addCleanup(process.kill)
        self.until_records(process, 3)
        process.send_signal(signal.SIGINT)
        begin = time.monotonic()
        out, err = process.communicate(timeout=program.TIMEOUT_S)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertEqual((process.returncode, out), (program.INTERRUPTED, b""))
        done = len(self.journal())
        self.assertGreaterEqual(done, 3)
        self.assertEqual(err, f"lawful: {done} of 20 requests are done; the same command goes on from there\n".encode())
        self.done(*self.command())
        self.assertEqual(self.output.read_bytes(), whole)

    def test_killed_when_all_was_done(self):
        whole = self.batch(self.SHORT)
        journal = self.scratch / "out.jsonl.journal"
        journal.write_bytes(whole)
        self.assertIn(b"whole already", self.done(*self.command()).out)
        self.assertFalse(journal.exists())
        self.assertEqual(self.output.read_bytes(), whole)

    def test_another_input_other_options_or_another_context_are_refused(self):
        self.batch(self.SHORT)
        self.output.rename(self.scratch / "out.jsonl.journal")
        before = self.journal()
        for names, arguments in ((("options", '"tokens":256'), ("-n", "7")), (("options",), ("--ignore-eos",)),
                                 (("context", "8192"), ("--context", "100")), (("shard", "1/1"), ("--shard", "1/2")),
                                 *((("options",), default) for default in self.DEFAULTS)):
            with self.subTest(arguments=arguments):
                self.refused(*self.command(*arguments), names=(f"{self.output}.run", *names))
        self.input.write_text(self.SHORT + lines(requests(1)), encoding="utf-8")
        self.refused(*self.command(), names=("input", "sha256"))
        self.assertEqual(self.journal(), before)
        self.assertFalse(self.output.exists())

    def test_a_file_that_no_run_made_is_not_touched(self):
        self.input.write_text(self.TEXT, encoding="utf-8")
        self.output.write_text("precious")
        self.refused(*self.command(), names=(str(self.output),))
        self.assertEqual(self.output.read_text(), "precious")
        self.output.unlink()
        journal = self.scratch / "out.jsonl.journal"
        journal.write_text("precious\n")
        self.refused(*self.command(), names=(str(journal),))
        self.assertEqual(journal.read_text(), "precious\n")

    def test_a_journal_that_was_tampered_with_is_refused(self):
        whole = self.batch(self.SHORT).splitlines(keepends=True)
        self.output.unlink()
        journal = self.scratch / "out.jsonl.journal"
        for content in (whole[0] + whole[0], b"rubbish\n" + whole[0], b"\n", b'{"line":0,"ids":[]}\n', b'{"line":1\n'):
            with self.subTest(content=content):
                journal.write_bytes(content)
                self.refused(*self.command(), names=(str(journal), "one record of each line"))

    def test_two_runs_of_one_output_at_once_are_refused(self):
        self.input.write_text(lines([{"prompt": "A", "tokens": 5000, "ignore_eos": True}] + requests(3)), encoding="utf-8")
        process = program.start(*self.command())
        self.addCleanup(process.kill)
        self.until_records(process, 1)
        self.refused(*self.command(), status=program.FAILED, names=("another process",))
        process.kill()
        process.communicate(timeout=program.TIMEOUT_S)

    def test_a_full_disk_is_an_error_and_the_same_command_goes_on(self):
        whole = self.undisturbed()

        def full_after_2000_bytes():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))

        result = program.run(*self.command(), preexec_fn=full_after_2000_bytes)
        self.assertEqual((result.status, result.out), (program.FAILED, b""), str(result))
        self.assertIn(b"out.jsonl.journal: cannot be written", result.err)
        self.assertFalse(self.output.exists())
        self.assertGreater(len(self.journal()), 0)
        self.done(*self.command())
        self.assertEqual(self.output.read_bytes(), whole)

    def test_an_input_that_changes_meanwhile_is_an_error(self):
        self.input.write_text(lines([{"prompt": "A", "tokens": 1}, {"prompt": "A", "tokens": 400, "ignore_eos": True}]))
        process = program.start(*self.command())
        self.addCleanup(process.kill)
        self.until_records(process, 1)
        os.utime(self.input, (1, 1))
        out, err = process.communicate(timeout=program.TIMEOUT_S)
        self.assertEqual((process.returncode, out), (program.FAILED, b""))
        self.assertIn(b"was changed meanwhile", err)
        self.assertFalse(self.output.exists())


if __name__ == "__main__":
    run_cases()
