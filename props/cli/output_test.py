"""What happens to the output: full disks, closed pipes, Ctrl-C, streaming, and nothing but results on stdout."""
import json
import os
import resource
import signal
import subprocess
import time

import program
from cases import run_cases

TEXT = "Once upon a time, there was a little girl who"
LONG_RUN = ("generate", "--ignore-eos", "-n", "6000", TEXT)
ENDS_WITHIN_S = 50 if program.SANITIZED else 5


class Full(program.ProgramCase):
    def test_a_limit_of_file_sizes_is_an_error_and_leaves_nothing(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        result = program.run("convert", str(program.default_model()), str(self.scratch / "out.gguf"), "--to", "q8_0", preexec_fn=limit)
        self.assertEqual((result.status, result.out), (program.FAILED, b""), str(result))
        self.assertRegex(result.err, rb"\A[^\n]*out.gguf[^\n]*\n\Z")
        self.assertEqual(os.listdir(self.scratch), [])

    def test_a_full_disk_is_an_error(self):
        for arguments in (("generate", "-n", "4", TEXT), ("generate", "--json", "-n", "4", TEXT), ("tokenize", TEXT),
                          ("detokenize", "1", "2"), ("inspect", str(program.default_model())), ("--help",)):
            with self.subTest(arguments=arguments), open("/dev/full", "wb") as full:
                self.refused(*arguments, stdout=full, status=program.FAILED)

    def test_a_closed_output_is_an_error(self):
        result = program.run("tokenize", TEXT, stdout=None, preexec_fn=lambda: os.close(1))
        self.assertEqual(result.status, program.FAILED, str(result))

    def test_a_closed_output_does_not_become_a_file_that_is_opened(self):
        path = self.scratch / "x"
        for closed in (0, 2):
            result = program.run("logits", "--ids=1", "-o", str(path), stdin=None, preexec_fn=lambda: os.close(closed))
            self.assertEqual((result.status, result.out), (program.DONE, b""), str(result))
        result = program.run("chat", stdin=None, preexec_fn=lambda: os.close(0))
        self.assertEqual((result.status, result.out), (program.BAD_INPUT, b""), str(result))
        self.assertIn(b"stdin: cannot be read", result.err)

    def test_a_result_file_that_cannot_be_written(self):
        for path in (str(self.scratch / "absent" / "x"), "/dev/full"):
            for command in ("logits", "trace"):
                with self.subTest(command=command, path=path):
                    self.refused(command, "--ids=1,2", "-o", path, status=program.FAILED, names=(path,))


class Untold(program.ProgramCase):
    """Where stderr cannot be written the status is what it is with one, and nothing is left behind."""

    def without_stderr(self, *arguments, **options):
        with open("/dev/full", "wb") as full:
            statuses = {program.run(*arguments, stderr=full, **options).status}
        statuses.add(program.run(*arguments, preexec_fn=lambda: os.close(2), **options).status)
        read_end, write_end = os.pipe()
        os.close(read_end)
        statuses.add(program.run(*arguments, stderr=write_end, **options).status)
        os.close(write_end)
        return statuses

    def test_errors(self):
        self.assertEqual(self.without_stderr("frobnicate"), {program.BAD_INPUT})
        self.assertEqual(self.without_stderr("generate", "-m", "/absent", "x"), {program.BAD_INPUT})
        self.assertEqual(self.without_stderr("chat", "-n", "2", stdin=b"Hi\n/help\n/frobnicate\n"), {program.BAD_INPUT})
        self.assertEqual(self.without_stderr("logits", "--ids=1,49152", "-o", str(self.scratch / "x")), {program.BAD_INPUT})
        self.assertEqual(os.listdir(self.scratch), [])


class Closed(program.ProgramCase):
    def closed_after(self, count, *arguments):
        """The program's exit status and messages when its reader goes away after `count` bytes."""
        process = program.start(*arguments)
        self.addCleanup(process.kill)
        read = process.stdout.read(count)
        self.assertEqual(len(read), count)
        process.stdout.close()
        err = process.stderr.read()
        process.stderr.close()
        return process.wait(timeout=program.TIMEOUT_S), err

    def test_a_reader_that_goes_away_ends_it_quietly_and_soon(self):
        begin = time.monotonic()
        status, err = self.closed_after(1, *LONG_RUN)
        self.assertEqual(err, b"")
        self.assertIn(status, (program.DONE, -signal.SIGPIPE, 128 + signal.SIGPIPE))
        self.assertLess(time.monotonic() - begin, 20)

    def test_head(self):
        result = subprocess.run(["bash", "-c", '"$0" "$@" | head -c 1', program.PROGRAM, *LONG_RUN],
                                capture_output=True, timeout=60, check=False)
        self.assertEqual((result.returncode, len(result.stdout), result.stderr), (0, 1, b""))

    def test_a_closed_pipe_of_json_lines(self):
        texts = b'"some text of no great length"\n' * 200_000
        read_end, write_end = os.pipe()
        os.close(read_end)
        result = program.run("tokenize", "--jsonl", "-", stdin=texts, stdout=write_end, timeout=60)
        os.close(write_end)
        self.assertEqual(result.err, b"", str(result))


class Interrupt(program.ProgramCase):
    def interrupted(self, process, expected=(program.INTERRUPTED,)):
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=program.TIMEOUT_S)
        self.assertIn(process.returncode, expected, (out[:100], err))
        self.assertLess(time.monotonic() - begin, ENDS_WITHIN_S)
        return out, err

    def test_at_start_and_load(self):
        """Before the handler is set, the signal's own default ends the program: 130 in a shell as well."""
        for delay in (0.0, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1):
            with self.subTest(delay=delay):
                process = program.start(*LONG_RUN)
                self.addCleanup(process.kill)
                time.sleep(delay)
                self.interrupted(process, (program.INTERRUPTED, -signal.SIGINT))

    def test_in_prefill(self):
        process = program.start("generate", "--ignore-eos", "-n", "1", "-t", "1", "-", stdin=subprocess.PIPE)
        self.addCleanup(process.kill)
        process.stdin.write(b" word" * 8000)
        process.stdin.close()
        process.stdin = None
        time.sleep(1.0)
        self.assertIsNone(process.poll(), "8,000 tokens were read within a second")
        out, _ = self.interrupted(process)
        self.assertEqual(out, b"")

    def test_in_decode_keeps_what_was_made(self):
        process = program.start(*LONG_RUN)
        self.addCleanup(process.kill)
        first = process.stdout.read1(1)
        rest, _ = self.interrupted(process)
        whole = self.done("generate", "--ignore-eos", "-n", "40", TEXT).out.rstrip(b"\n")
        made = (first + rest).rstrip(b"\n")
        self.assertGreater(len(made), 0)
        length = min(len(whole), len(made))
        self.assertEqual(made[:length], whole[:length])

    def test_json_is_of_what_was_made(self):
        process = program.start("generate", "--json", "--logprobs", "0", "--speculate", "--receipt", str(self.scratch / "r"),
                                *LONG_RUN[1:])
        self.addCleanup(process.kill)
        time.sleep(3.0)
        self.assertIsNone(process.poll())
        found = json.loads(self.interrupted(process)[0])
        self.assertEqual(found["stop"], "interrupted")
        self.assertGreater(len(found["ids"]), 0)
        self.assertEqual([step["id"] for step in found["logprobs"]], found["ids"])
        whole = self.done("generate", "--json", "--ignore-eos", "-n", str(len(found["ids"])), TEXT).json()
        self.assertEqual((found["ids"], found["text"]), (whole["ids"], whole["text"]))
        self.assertEqual(os.listdir(self.scratch), [])

    def test_json_in_prefill_has_no_ids(self):
        process = program.start("generate", "--json", "-t", "1", "-", stdin=subprocess.PIPE)
        self.addCleanup(process.kill)
        process.stdin.write(b" word" * 8000)
        process.stdin.close()
        process.stdin = None
        time.sleep(1.0)
        found = json.loads(self.interrupted(process)[0])
        self.assertEqual((found["ids"], found["text"], found["stop"]), ([], "", "interrupted"))

    def test_waiting_for_input(self):
        process = program.start("generate", "-", stdin=subprocess.PIPE)
        self.addCleanup(process.kill)
        time.sleep(0.5)
        self.interrupted(process, (program.INTERRUPTED, -signal.SIGINT))

    def test_a_file_in_the_making_is_not_left(self):
        path = self.scratch / "logits.safetensors"
        process = program.start("logits", "-", "-t", "1", "-o", str(path), stdin=subprocess.PIPE)
        self.addCleanup(process.kill)
        process.stdin.write(b" word" * 4000)
        process.stdin.close()
        process.stdin = None
        time.sleep(0.5)
        self.interrupted(process)
        self.assertEqual(os.listdir(self.scratch), [])


class Stdout(program.ProgramCase):
    def test_text_streams_as_it_is_made(self):
        begin = time.monotonic()
        process = program.start("generate", "--ignore-eos", "-n", "200", TEXT)
        self.addCleanup(process.kill)
        self.assertEqual(len(process.stdout.read1(1)), 1)
        first = time.monotonic() - begin
        process.communicate(timeout=program.TIMEOUT_S)
        self.assertLess(first, 0.5 * (time.monotonic() - begin))

    def test_help_is_a_result_and_needs_no_model(self):
        for arguments in (("--help",), ("generate", "--help")):
            with self.subTest(arguments=arguments):
                result = self.done(*arguments, env={"LAWFUL_MODEL": "/nonexistent"})
                self.assertIn(b"lawful", result.out)

    def test_zero_tokens(self):
        found = self.done("generate", "--json", "-n", "0", TEXT).json()
        self.assertEqual((found["ids"], found["text"]), ([], ""))

    def test_json_is_one_object_with_the_documented_fields(self):
        result = self.done("generate", "--json", "-n", "2", TEXT)
        self.assertEqual(result.out.count(b"\n"), 1)
        found = result.json()
        self.assertLessEqual({"model", "prompt_ids", "ids", "text", "stop", "stats"}, set(found))
        self.assertLessEqual({"load_s", "prefill_tokens_per_s", "decode_ms_per_token", "threads", "isa",
                              "peak_rss_bytes"}, set(found["stats"]))

    def test_a_model_that_is_missing_says_how_to_get_it(self):
        message = self.refused("generate", TEXT, env={"LAWFUL_MODEL": str(self.scratch / "absent.gguf")},
                               names=("absent.gguf",))
        self.assertNotIn("\x1b", message)


if __name__ == "__main__":
    run_cases()
