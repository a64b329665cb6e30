"""`lawful batch`: every line gets what it gets alone, whatever is beside it, and no kill loses or repeats one."""
import json
import os
import random
import resource
import signal
import time

import program
from cases import run_cases

WORDS = "Once upon a time there was a little girl who lived in a house near the forest with her old mother".split()


def requests(count, seed=1, tokens=12):
    """Requests of mixed lengths, as text and as ids, with and without ids of their own."""
    numbers = random.Random(seed)
    made = []
    for i in range(count):
        words = " ".join(numbers.choice(WORDS) for _ in range(numbers.choice((1, 2, 7, 40))))
        request = {"prompt": words} if i % 3 else {"prompt_ids": [numbers.randrange(3, 49152) for _ in range(1 + i % 9)]}
        if i % 2:
            request["id"] = f"request {i} ü"
        made.append({**request, "tokens": numbers.randrange(0, tokens), "ignore_eos": i % 4 == 0})
    return made


def lines(made):
    return "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in made)


class BatchCase(program.ProgramCase):
    def setUp(self):
        super().setUp()
        self.input = self.scratch / "in.jsonl"
        self.output = self.scratch / "out.jsonl"

    def batch(self, text, *arguments, output=None, **options):
        """The bytes of the output for an input of this text."""
        self.input.write_text(text, encoding="utf-8")
        output = output or self.output
        self.done("batch", str(self.input), "-o", str(output), *arguments, **options)
        return output.read_bytes()

    def fresh(self, text, *arguments):
        for name in ("", ".run", ".journal"):
            self.scratch.joinpath(f"out.jsonl{name}").unlink(missing_ok=True)
        return self.batch(text, *arguments)

    def records(self, *arguments, **options):
        return [json.loads(line) for line in self.batch(*arguments, **options).splitlines()]


class Records(BatchCase):
    def test_each_line_gets_what_it_gets_alone(self):
        made = requests(14)
        found = self.records(lines(made), "--parallel", "5")
        self.assertEqual([record["line"] for record in found], list(range(1, 15)))
        for request, record in zip(made, found):
            with self.subTest(request=request):
                prompt = [request["prompt"]] if "prompt" in request else ["--ids", ",".join(map(str, request["prompt_ids"]))]
                end = ["--ignore-eos"] if request["ignore_eos"] else []
                alone = self.done("generate", "--json", "-n", str(request["tokens"]), *end, *prompt).json()
                self.assertEqual({key: record[key] for key in ("ids", "text", "stop")},
                                 {key: alone[key] for key in ("ids", "text", "stop")})
                self.assertEqual(record.get("id"), request.get("id"))
                self.assertLessEqual(set(record), {"line", "id", "ids", "text", "stop"})

    def test_the_bytes_do_not_depend_on_company_threads_or_pieces(self):
        text = lines(requests(12, seed=2))
        expected = self.fresh(text, "--parallel", "1", "-t", "1")
        for arguments in (("--parallel", "3", "-t", "2"), ("--parallel", "8", "-t", "3"), ("--parallel", "12", "-t", "2"),
                          ("--parallel", "7", "--chunk", "5"), ("-t", "2",), ("--parallel", "4", "--isa", "avx2")):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.fresh(text, *arguments), expected)

    def test_a_line_has_the_same_record_whatever_its_neighbours_are(self):
        one = requests(1, seed=3)[0] | {"tokens": 10, "ignore_eos": True}
        alone = self.fresh(lines([one]), "--parallel", "1").replace(b'{"line":1,', b"")
        for seed in range(3):
            others = requests(9, seed=10 + seed, tokens=25)
            place = 2 + 3 * seed
            others.insert(place - 1, one)
            found = self.fresh(lines(others), "--parallel", "4").splitlines(keepends=True)
            self.assertEqual(found[place - 1].replace(b'{"line":%d,' % place, b""), alone)

    def test_options_of_the_command_hold_where_a_line_does_not_say(self):
        text = lines([{"prompt": "A"}, {"prompt": "A", "tokens": 1}])
        self.assertEqual([len(record["ids"]) for record in self.records(text, "-n", "3", "--ignore-eos")], [3, 1])

    def test_special_tokens_are_parsed_unless_a_line_says_plain(self):
        end = "<|im_end|>"
        parsed, plain = self.records(lines([{"prompt": end, "tokens": 1}, {"prompt": end, "tokens": 1, "plain": True}]))
        ids = self.done("tokenize", "--plain", end).out.decode().split()
        alone = self.done("generate", "--json", "-n", "1", "--ids", ",".join(ids)).json()
        self.assertEqual(plain["ids"], alone["ids"])
        self.assertEqual(parsed["ids"], self.done("generate", "--json", "-n", "1", end).json()["ids"])

    def test_a_context_ends_a_text_as_it_does_alone(self):
        text = lines([{"prompt": " word" * 10, "tokens": 100, "ignore_eos": True}])
        record, = self.records(text, "--context", "12")
        alone = self.done("generate", "--json", "--ignore-eos", "-n", "100", "--context", "12", " word" * 10).json()
        self.assertEqual((record["stop"], record["ids"]), ("context", alone["ids"]))

    def test_what_is_said_at_the_end(self):
        self.input.write_text(lines(requests(2)), encoding="utf-8")
        said = self.done("batch", str(self.input), "-o", str(self.output)).out
        self.assertEqual(said, f"2 requests in {self.output}\n".encode())
        self.assertEqual(sorted(os.listdir(self.scratch)), ["in.jsonl", "out.jsonl", "out.jsonl.run"])
        again = self.done("batch", str(self.input), "-o", str(self.output)).out
        self.assertEqual(again, f"{self.output} is whole already\n".encode())


BAD_LINES = (
    ('{"prompt": "A"', "expected JSON"),
    ('"text"', "expected a JSON object, found string"),
    ("[1]", "expected a JSON object, found array"),
    ("{}", "expected a prompt or prompt_ids, found neither"),
    ('{"prompt": "A", "prompt_ids": [1]}', "expected a prompt or prompt_ids, found both"),
    ('{"prompt": ""}', "prompt: expected at least one token, found none"),
    ('{"prompt_ids": []}', "prompt: expected at least one token, found none"),
    ('{"prompt": 7}', "prompt: expected a string, found 7"),
    ('{"prompt_ids": [49152]}', "prompt_ids: expected a list of ids from 0 to 49151, found 49152"),
    ('{"prompt_ids": [-1]}', "prompt_ids: expected a list of ids from 0 to 49151, found -1"),
    ('{"prompt_ids": "1"}', "prompt_ids: expected a list"),
    ('{"prompt_ids": [1], "plain": true}', "plain: expected a prompt that is a text"),
    ('{"prompt": "A", "tokens": -1}', "tokens: expected a whole number"),
    ('{"prompt": "A", "tokens": 1.5}', "tokens: expected a whole number"),
    ('{"prompt": "A", "tokens": 99999999999}', "tokens: expected a whole number"),
    ('{"prompt": "A", "ignore_eos": 1}', "ignore_eos: expected true or false, found 1"),
    ('{"prompt": "A", "prompt": "B"}', "expected once in its object"),
    ('{"prompt": "A", "wrong_key": 1}', "found 'wrong_key'"),
    ('{"prompt": "A", "id": [1]}', "id: expected a string or a number"),
    ('{"prompt": "A", "id": "\\ud800"}', "expected JSON"),
)


class BadLines(BatchCase):
    def test_each_has_a_record_that_names_the_line_and_the_others_go_on(self):
        good = '{"prompt": "The capital of France is", "tokens": 2}\n'
        text = good + "".join(line + "\n" + good for line, _ in BAD_LINES)
        found = self.records(text)
        self.assertEqual(len(found), 2 * len(BAD_LINES) + 1)
        self.assertEqual({tuple(record["ids"]) for record in found[::2]}, {(7042, 30)})
        for number, (line, words), record in zip(range(2, 999, 2), BAD_LINES, found[1::2]):
            with self.subTest(line=line):
                self.assertTrue(record["error"].startswith(f"line {number}: "), record)
                self.assertIn(words, record["error"])
                self.assertIn("found", record["error"])
                self.assertLessEqual(set(record), {"line", "id", "error"})

    def test_bytes_that_are_no_text(self):
        self.input.write_bytes(b'{"prompt": "A", "tokens": 1}\n{"prompt": "\xff"}\n\x00\n{"prompt": "A", "tokens": 1}')
        self.done("batch", str(self.input), "-o", str(self.output))
        found = [json.loads(line) for line in self.output.read_bytes().splitlines()]
        self.assertEqual(["error" in record for record in found], [False, True, True, False])

    def test_a_prompt_longer_than_the_context_is_its_own_line_s_error(self):
        found = self.records(lines([{"prompt_ids": [5] * 20, "id": 3}, {"prompt": "A", "tokens": 1}]), "--context", "12")
        self.assertEqual(found[0], {"line": 1, "id": 3, "error":
                                    "line 1: prompt: expected at most 12 tokens (the context), found 20"})
        self.assertEqual(len(found[1]["ids"]), 1)

    def test_blank_lines_are_counted_and_have_no_record(self):
        found = self.records('\n{"prompt": "A", "tokens": 1}\n  \r\n\n{"prompt": "A", "tokens": 1}\r\n\n')
        self.assertEqual([record["line"] for record in found], [2, 5])

    def test_the_last_line_may_lack_its_end(self):
        self.assertEqual(len(self.records('{"prompt": "A", "tokens": 1}\n{"prompt": "A", "tokens": 1}')), 2)


class Resuming(BatchCase):
    TEXT = lines(requests(40, seed=5, tokens=30))

    def command(self, *arguments):
        return ("batch", str(self.input), "-o", str(self.output), "--parallel", "4", *arguments)

    def journal(self):
        """The lines of the whole records so far."""
        path = self.scratch / "out.jsonl.journal"
        content = path.read_bytes() if path.exists() else b""
        return [json.loads(line)["line"] for line in content.split(b"\n")[:-1]]

    def until_records(self, process, count):
        """Waits until the journal has `count` records, or the run is over."""
        end = time.monotonic() + program.TIMEOUT_S
        while process.poll() is None and len(self.journal()) < count and time.monotonic() < end:
            time.sleep(0.002)

    def test_kills_at_random_points_lose_and_repeat_nothing(self):
        whole = self.batch(self.TEXT, "--parallel", "7")
        for path in ("out.jsonl", "out.jsonl.run"):
            self.scratch.joinpath(path).unlink()
        numbers, seen, kills = random.Random(6), [], 0
        while not self.output.exists():
            process = program.start(*self.command("-t", str(1 + kills % 3)))
            self.addCleanup(process.kill)
            if kills % 4 == 3:  # while it loads, or soon after
                time.sleep(numbers.random() * 0.5)
            else:
                self.until_records(process, len(seen) + numbers.randrange(0, 9))
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
        whole = self.batch(self.TEXT)
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
        whole = self.fresh(self.TEXT)
        for name in ("out.jsonl", "out.jsonl.run"):
            self.scratch.joinpath(name).unlink()
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
        self.assertEqual(err, f"lawful: {done} of 40 requests are done; the same command goes on from there\n".encode())
        self.done(*self.command())
        self.assertEqual(self.output.read_bytes(), whole)

    def test_killed_when_all_was_done(self):
        whole = self.batch(self.TEXT)
        journal = self.scratch / "out.jsonl.journal"
        journal.write_bytes(whole)
        self.assertIn(b"whole already", self.done(*self.command()).out)
        self.assertFalse(journal.exists())
        self.assertEqual(self.output.read_bytes(), whole)

    def test_another_input_other_options_or_another_context_are_refused(self):
        self.batch(self.TEXT)
        self.output.rename(self.scratch / "out.jsonl.journal")
        before = self.journal()
        for names, arguments in ((("options", '"tokens":256'), ("-n", "7")), (("options",), ("--ignore-eos",)),
                                 (("context", "8192"), ("--context", "100")), (("shard", "1/1"), ("--shard", "1/2"))):
            with self.subTest(arguments=arguments):
                self.refused(*self.command(*arguments), names=(f"{self.output}.run", *names))
        self.input.write_text(self.TEXT + lines(requests(1)), encoding="utf-8")
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
        whole = self.batch(self.TEXT).splitlines(keepends=True)
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
        whole = self.fresh(self.TEXT)
        for name in ("out.jsonl", "out.jsonl.run"):
            self.scratch.joinpath(name).unlink()

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


class Shards(BatchCase):
    def test_they_are_the_whole_cut_into_parts(self):
        text = "\n" + lines(requests(11, seed=7)) + "not JSON\n"
        whole = self.batch(text)
        for count in (1, 2, 3, 16):
            parts = [self.batch(text, "--shard", f"{i}/{count}", output=self.scratch / f"{i}-{count}.jsonl")
                     for i in range(1, count + 1)]
            found = [line for part in parts for line in part.splitlines(keepends=True)]
            self.assertEqual(sorted(found, key=lambda line: json.loads(line)["line"]), whole.splitlines(keepends=True))
            for i, part in enumerate(parts):
                self.assertLessEqual({(json.loads(line)["line"] - 1) % count for line in part.splitlines()}, {i})

    def test_a_shard_without_lines_has_an_empty_output(self):
        self.assertEqual(self.batch(lines(requests(1)), "--shard", "2/2"), b"")

    def test_what_is_no_shard(self):
        self.input.write_text(lines(requests(1)), encoding="utf-8")
        for shard in ("0/2", "3/2", "1", "1/0", "/", "1/2/3", "a/b", "-1/2", "1 / 2", ""):
            with self.subTest(shard=shard):
                self.refused("batch", str(self.input), "-o", str(self.output), f"--shard={shard}", names=("--shard",))
        self.assertEqual(os.listdir(self.scratch), ["in.jsonl"])


class BadUse(BatchCase):
    def test_files(self):
        self.input.write_text(lines(requests(1)), encoding="utf-8")
        absent, empty, source = self.scratch / "absent", self.scratch / "empty", str(self.input)
        empty.touch()
        self.refused("batch", str(absent), "-o", str(self.output), names=(str(absent),))
        self.refused("batch", str(empty), "-o", str(self.output), names=(str(empty),))
        self.refused("batch", source, "-o", str(self.scratch), names=(str(self.scratch),))
        self.refused("batch", source, "-o", "/dev/null", names=("/dev/null",))
        self.refused("batch", source, "-o", str(absent / "x"), status=program.FAILED, names=(str(absent / "x"),))
        self.refused("batch", source, names=("--output",))
        self.refused("batch", "-o", str(self.output), names=("IN",))
        self.refused("batch", source, "-o", source, names=(source,))

    def test_numbers(self):
        self.input.write_text(lines(requests(1)), encoding="utf-8")
        for option in ("--parallel=0", "--parallel=x", "--tokens=-1", "--context=0", "--context=8193", "--chunk=0"):
            with self.subTest(option=option):
                self.refused("batch", str(self.input), "-o", str(self.output), option, names=(option.partition("=")[0],))


if __name__ == "__main__":
    run_cases()
