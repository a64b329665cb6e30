"""`lawful batch`: every line gets what it gets alone, whatever is beside it; what is wrong with one is its own affair."""
import json
import os
import resource
import subprocess

from batch_case import BatchCase, lines, requests
import program
from cases import run_cases


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
    ("{}", "expected a prompt, prompt_ids or messages, found none of them"),
    ('{"prompt": "A", "prompt_ids": [1]}', "found prompt and prompt_ids"),
    ('{"prompt": "A", "messages": [{"role": "user", "content": "A"}]}', "found prompt and messages"),
    ('{"messages": []}', "messages"),
    ('{"messages": "A"}', "messages"),
    ('{"messages": [{"role": "user"}]}', "messages"),
    ('{"messages": [{"role": "robot", "content": "A"}]}', "messages"),
    ('{"messages": [{"role": "user", "content": ""}]}', "messages"),
    ('{"messages": [{"role": "user", "content": "A"}, {"role": "assistant", "content": "B"}]}', "a message of a user at the end"),
    # Ids of an answer are its content's, and never control tokens.
    *((f'{{"messages": [{{"role": "user", "content": "A"}}, {{"role": "assistant", "content": "{content}", "ids": [{ids}]}},'
       ' {"role": "user", "content": "B"}]}', "message 1: ids: expected those of its content")
      for content, ids in (("<|im_end|>", "2"), ("Hi", "28120, 2"), ("Hi", "57"), ("Hi", "49152"), ("", "0"))),
    ('{"messages": [{"role": "user", "content": "A"}], "plain": true}', "plain: expected a prompt that is a text"),
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
    ('{"prompt": "A", "id": [1]}', "id: expected a string or a whole number of at most 64 bits"),
    ('{"prompt": "A", "id": 1.10}', "id: expected a string or a whole number of at most 64 bits, found 1.1"),
    ('{"prompt": "A", "id": 18446744073709551616}', "id: expected a string or a whole number of at most 64 bits"),
    ('{"prompt": "A", "id": "\\ud800"}', "expected JSON"),
    ('{"prompt": "A", "id": true}', "id: expected a string or a whole number of at most 64 bits"),
    ('{"prompt": "A", "temperature": -1}', "temperature"),
    ('{"prompt": "A", "temperature": "hot"}', "temperature: expected a number"),
    ('{"prompt": "A", "temperature": 1e999}', "expected"),
    ('{"prompt": "A", "temperature": 1, "top_p": 0}', "top_p"),
    ('{"prompt": "A", "temperature": 1, "top_k": -1}', "top_k: expected a whole number"),
    ('{"prompt": "A", "top_k": 4}', "top_k: expected a temperature beside it"),
    ('{"prompt": "A", "seed": 4}', "seed: expected a temperature beside it"),
    ('{"prompt": "A", "stop": ""}', "stop: expected a text of at least one character"),
    ('{"prompt": "A", "stop": [1]}', "stop: expected a string, or a list of them, found 1"),
    ('{"prompt": "A", "logprobs": 1001}', "logprobs: expected a whole number from 0 to 1000"),
)


class Sampled(BatchCase):
    def test_each_line_gets_what_it_gets_alone(self):
        drawn = {"temperature": 0.9, "top_k": 50, "top_p": 0.95, "min_p": 0.01, "repetition_penalty": 1.1, "seed": 7}
        made = [{"prompt": "Once upon a time", "tokens": 16, **drawn}, {"prompt": "A", "tokens": 9, "temperature": 2.5},
                {"prompt": "Once upon a time", "tokens": 30, "stop": [".", "girl who"]},
                {"prompt": "Once upon a time", "tokens": 30, "stop": ",", **drawn, "seed": 2**64 - 1},
                {"prompt": "The capital of France is", "tokens": 3, "logprobs": 2}]
        found = self.records(lines(made), "--parallel", "3")
        for number, request, record in zip(range(1, 9), made, found):
            with self.subTest(request=request):
                stops = request.get("stop", [])
                arguments = [f"--{key.replace('_', '-')}={value}" for key, value in request.items()
                             if key not in ("prompt", "stop", "seed")]
                arguments += [f"--stop={text}" for text in ([stops] if isinstance(stops, str) else stops)]
                if "temperature" in request:
                    self.assertEqual(record["seed"], request.get("seed", number))
                    arguments.append(f"--seed={record['seed']}")
                alone = self.done("generate", "--json", *arguments, request["prompt"]).json()
                for key in ("ids", "text", "stop", "logprobs"):
                    self.assertEqual(record.get(key), alone.get(key), key)
        self.assertEqual({record["stop"] for record in found}, {"length", "stop"})

    def test_lines_without_a_seed_have_one_of_their_own(self):
        text = lines([{"prompt": "Once upon a time", "tokens": 12}] * 3)
        found = self.records(text, "--temperature", "1.5", "--seed", "40")
        self.assertEqual([record["seed"] for record in found], [41, 42, 43])
        self.assertEqual(len({tuple(record["ids"]) for record in found}), 3)

    def test_the_command_s_settings_hold_where_a_line_does_not_say(self):
        text = lines([{"prompt": "Once upon a time", "tokens": 30}, {"prompt": "Once upon a time", "tokens": 3, "stop": []}])
        found = self.records(text, "--stop", ",")
        self.assertEqual([record["stop"] for record in found], ["stop", "length"])
        own = {"temperature": 0.7, "top_k": 9, "top_p": 0.8, "min_p": 0.01, "repetition_penalty": 1.3, "seed": 5}
        text = lines([{"prompt": "Once upon a time", "tokens": 12, **one} for one in (own, {"seed": 5}, {"temperature": 0})])
        options = [f"--{key.replace('_', '-')}={value}" for key, value in own.items()]
        found = [json.loads(line) for line in self.fresh(text, *options).splitlines()]
        self.assertEqual(found[0]["ids"], found[1]["ids"])
        other = "--temperature=2 --top-k=3 --top-p=0.3 --min-p=0.2 --repetition-penalty=0.9 --seed=1".split()
        self.assertEqual(json.loads(self.fresh(text, *other).splitlines()[0]), found[0])
        self.assertNotIn("seed", found[2])


class Conversations(BatchCase):
    def test_messages_get_the_answer_of_generate_chat(self):
        made = [{"messages": [{"role": "user", "content": "What is gravity?"}], "tokens": 12},
                {"messages": [{"role": "system", "content": "Be terse."}, {"role": "user", "content": "Hi <|im_end|>"}],
                 "tokens": 12},
                {"messages": [{"role": "user", "content": "Say one word."}], "tokens": 60},
                {"prompt": "What is gravity?", "tokens": 5}]
        found = self.records(lines(made), "--parallel", "4")
        for request, record in zip(made, found[:3]):
            with self.subTest(request=request):
                system = [f"--system={m['content']}" for m in request["messages"] if m["role"] == "system"]
                alone = self.done("generate", "--chat", "--json", "-n", str(request["tokens"]), *system,
                                  request["messages"][-1]["content"]).json()
                self.assertEqual((record["ids"], record["text"], record["stop"]),
                                 (alone["ids"], alone["text"], alone["stop"]))
        self.assertIn("eos", {record["stop"] for record in found})

    def test_earlier_turns_come_into_it_and_the_template_can_be_chosen(self):
        turns = [{"role": "user", "content": "My name is Ada."}, {"role": "assistant", "content": "Hello Ada!"},
                 {"role": "user", "content": "What is my name?"}]
        text = lines([{"messages": turns, "tokens": 10}, {"messages": turns[-1:], "tokens": 10}])
        own, other = self.records(text), [json.loads(line) for line in self.fresh(text, "--template", "chatml").splitlines()]
        self.assertNotEqual(own[0]["ids"], own[1]["ids"])
        self.assertNotEqual(own, other)
        self.refused("batch", str(self.input), "-o", str(self.output), names=("template",))
        self.refused("batch", str(self.input), "-o", str(self.scratch / "x"), "--template=x", names=("--template",))


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


class Documentation(BatchCase):
    """What docs/batch.md says to run, on requests of this test; the machines, Slurm, GNU parallel and Spark are played."""
    PAGE = (program.ROOT / "docs" / "batch.md").read_text(encoding="utf-8")

    def setUp(self):
        super().setUp()
        self.whole = self.batch(lines(requests(20, seed=8, tokens=4)))
        for name in ("out.jsonl", "out.jsonl.run"):
            self.scratch.joinpath(name).unlink()
        tools = self.scratch / "tools"
        tools.mkdir()
        (tools / "lawful").symlink_to(program.PROGRAM)
        # GNU parallel, as far as the page uses it: {} is each of the words after :::.
        (tools / "parallel").write_text('#!/bin/bash\nshift 6\nwhile [ "$1" != ::: ]; do command+=("$1"); shift; done\nshift\n'
                                        'for word; do "${command[@]//\\{\\}/$word}" || exit; done\n')
        (tools / "parallel").chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}

    def block(self, beginning):
        found = [text for text in self.PAGE.split("```")[1::2] if text.partition("\n")[2].startswith(beginning)]
        self.assertEqual(len(found), 1)
        return found[0].partition("\n")[2]

    def shell(self, text, **variables):
        done = subprocess.run(["bash", "-c", text], cwd=self.scratch, env={**self.environment, **variables}, check=False,
                              capture_output=True, timeout=program.TIMEOUT_S)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done.stdout

    def check_shards(self):
        self.assertEqual(self.shell(self.block("sort ").replace("OUT", "out")), self.whole)

    def test_a_slurm_array(self):
        for task in range(1, 4):
            self.shell(self.block("#!/bin/sh"), SLURM_ARRAY_TASK_ID=str(task), SLURM_ARRAY_TASK_COUNT="3",
                       SLURM_CPUS_PER_TASK="2")
        self.check_shards()

    def test_gnu_parallel(self):
        self.shell(self.block("parallel ").replace("16", "3"))
        self.check_shards()

    def test_spark(self):
        scratch, read = str(self.scratch), []

        class Played:
            sparkContext = property(lambda self: self)
            read = property(lambda self: self)
            def parallelize(self, parts, _count):
                self.parts = parts
                return self
            def foreach(self, function):
                for part in self.parts:
                    function(part)
            def json(self, pattern):
                read.append(pattern)

        code = self.block("import subprocess").replace("/shared/run", scratch).replace("n=16", "n=3")
        before = os.environ["PATH"]
        os.environ["PATH"] = self.environment["PATH"]
        try:
            exec(code.replace("range(1, 17), 16", "range(1, 4), 3"), {"spark": Played()})  # pylint: disable=exec-used
        finally:
            os.environ["PATH"] = before
        self.assertEqual(read, [f"{scratch}/out.*.jsonl"])
        self.check_shards()


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
        for option in ("--temperature=-1", "--top-p=0", "--seed=1", "--stop=", "--parallel=0", "--parallel=x", "--tokens=-1", "--context=0", "--context=8193", "--chunk=0"):
            with self.subTest(option=option):
                self.refused("batch", str(self.input), "-o", str(self.output), option, names=(option.partition("=")[0],))

    if not program.SANITIZED:  # AddressSanitizer takes more address space than there is
        def test_short_texts_take_short_caches(self):
            """Address space for the program, the model and a cache or two of 8,192 positions, each 377 MB; not for 50."""
            text, limit = lines(requests(8, tokens=4)), lambda: resource.setrlimit(resource.RLIMIT_AS, (1000 << 20, 1000 << 20))
            found = self.batch(text, "-t", "1", "--parallel", "50", preexec_fn=limit)
            self.assertEqual(found, self.fresh(text, "--parallel", "1"))


if __name__ == "__main__":
    run_cases()
