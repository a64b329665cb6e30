"""Sampling and stop texts through the real program: a seed is a text, on every setting of the machine."""
import json
import math

import program
from cases import run_cases
from same_bits_test import rows

TEXT = "Once upon a time"
DRAW = ("--temperature", "0.9", "--top-p", "0.95", "--top-k", "50", "--min-p", "0.01", "--repetition-penalty", "1.1",
        "--seed", "7")


GOLDEN = [28, 339, 2915, 260, 1573, 29, 2256, 2477, 30, 657, 436, 253]


class Sampling(program.ProgramCase):
    def made(self, *options, text=TEXT):
        return self.done("generate", "--json", "-n", "24", *options, text).json()

    def test_a_seed_gives_one_text_on_every_setting(self):
        sets = program.instruction_sets()
        first = self.made(*DRAW, "-t", "1", "--no-speculate")
        self.assertEqual(first["sampling"], {"temperature": 0.9, "top_k": 50, "top_p": 0.95, "min_p": 0.01,
                                             "repetition_penalty": 1.1, "seed": 7})
        for options in (("-t", "2"), ("-t", "3", "--chunk", "1"), ("--speculate",), ("--chunk", "2"),
                        ("--isa", sets[1]), ("--context", "100")):
            with self.subTest(options=options):
                self.assertEqual(self.made(*DRAW, *options)["ids"], first["ids"])

    def test_the_text_of_this_seed_is_this_one(self):
        """Committed, so that builds of other compilers and other machines are compared with it."""
        self.assertEqual(self.made(*DRAW)["ids"][:12], GOLDEN)

    def test_other_seeds_and_settings_give_other_texts(self):
        texts = {json.dumps(self.made("--temperature", "1.2", *options)["ids"])
                 for options in ((), ("--seed", "1"), ("--seed", "2"), ("--seed", str(2**64 - 1)), ("--top-k", "3"))}
        self.assertEqual(len(texts), 5)

    def test_filters_that_leave_one_id_are_greedy(self):
        greedy = self.made()["ids"]
        for options in (("--top-k", "1"), ("--top-p", "1e-9"), ("--min-p", "1")):
            self.assertEqual(self.made("--temperature", "1.5", *options)["ids"], greedy)
        self.assertEqual(self.made("--temperature", "0", "--top-p", "0.5")["ids"], greedy)
        self.assertEqual(self.made("--temperature", "0.0001")["ids"], greedy)

    def test_a_penalty_changes_the_greedy_text_too(self):
        again = "one two three. one two three. one two"
        self.assertNotEqual(self.made("--repetition-penalty", "3", text=again)["ids"], self.made(text=again)["ids"])

    def test_a_sampled_text_verifies_on_other_settings(self):
        path = self.scratch / "receipt.json"
        self.done("generate", "-n", "12", "--receipt", str(path), "-t", "2", "--speculate", *DRAW, TEXT)
        for options in (("-t", "1"), ("--chunk", "3")):
            self.assertEqual(self.done("verify", *options, str(path)).out, b"12 steps, each with the same bits\n")
        receipt = json.loads(path.read_text())
        receipt["sampling"]["seed"] += 1
        path.write_text(json.dumps(receipt))
        self.refused("verify", str(path), status=program.FAILED, names=("step 0",))

    def test_log_probabilities_are_those_of_the_logits(self):
        found = self.made("--logprobs", "3", *DRAW)
        self.assertEqual([step["id"] for step in found["logprobs"]], found["ids"])
        ids = found["prompt_ids"] + found["ids"]
        out = self.scratch / "logits.safetensors"
        self.done("logits", "--ids", ",".join(map(str, ids[:-1])), "-o", str(out))
        chosen_from = rows(out.read_bytes())[len(found["prompt_ids"]) - 1:]
        self.assertEqual(len(chosen_from), 24)
        for row, step in zip(chosen_from, found["logprobs"]):
            largest = max(row)
            total = math.log(math.fsum(math.exp(x - largest) for x in row))
            order = sorted(range(len(row)), key=lambda i: (-row[i], i))[:3]
            self.assertEqual([top["id"] for top in step["top"]], order)
            for entry in (step, *step["top"]):
                self.assertAlmostEqual(entry["logprob"], row[entry["id"]] - largest - total, delta=1e-12)


class StopTexts(program.ProgramCase):
    def test_the_text_ends_before_a_stop_text_wherever_tokens_end(self):
        whole = self.done("generate", "-n", "24", TEXT).out.decode()[:-1]
        for begin, end in ((0, 1), (3, 9), (5, 12), (len(whole) - 4, len(whole))):
            stop = whole[begin:end]
            with self.subTest(stop=stop):
                shown = whole[:whole.index(stop)]
                self.assertEqual(self.done("generate", "-n", "24", "--stop", stop, TEXT).out.decode(), shown + "\n")
                found = self.done("generate", "--json", "-n", "24", "--stop", "never to be seen", "--stop", stop, TEXT).json()
                self.assertEqual((found["text"], found["stop"]), (shown, "stop"))

    def test_one_that_only_begins_is_shown(self):
        whole = self.done("generate", "-n", "24", TEXT).out
        stop = whole.decode()[-4:-1] + "NEVER"
        self.assertEqual(self.done("generate", "-n", "24", "--stop", stop, TEXT).out, whole)

    def test_a_receipt_says_what_ended_the_text(self):
        path = self.scratch / "receipt.json"
        self.done("generate", "-n", "24", "--stop", ",", "--receipt", str(path), TEXT)
        self.assertEqual(json.loads(path.read_text())["stop"], "stop")
        self.done("verify", str(path))
        receipt = json.loads(path.read_text())
        for change in ({"stop_texts": ["nowhere"]}, {"stop": "length", "tokens": len(receipt["ids"])}):
            path.write_text(json.dumps({**receipt, **change}))
            self.refused("verify", str(path), names=("receipt",))


class Refused(program.ProgramCase):
    def test_values_that_cannot_be(self):
        for option, values in (("--temperature", ("-1", "-0.5", "nan", "inf", "1e999", "x", "", "1,5", "0x1")),
                               ("--top-p", ("0", "-0.1", "1.01", "nan", "x")), ("--min-p", ("-0.1", "1.5", "nan")),
                               ("--top-k", ("-1", "1.5", "x", "99999999999999999999")),
                               ("--repetition-penalty", ("0", "-1", "nan", "1000")),
                               ("--seed", ("-1", "x", "18446744073709551616"))):
            for value in values:
                with self.subTest(option=option, value=value):
                    beside = () if option == "--temperature" else ("--temperature", "1")
                    self.refused("generate", *beside, f"{option}={value}", TEXT, names=(option,))

    def test_options_that_contradict_each_other(self):
        for option, value in (("--top-p", "0.5"), ("--top-k", "3"), ("--min-p", "0.1"), ("--seed", "1")):
            self.refused("generate", option, value, TEXT, names=(option, "--temperature"))
        self.refused("generate", "--logprobs", "2", TEXT, names=("--logprobs", "--json"))
        self.refused("generate", "--json", "--logprobs", "1001", TEXT, names=("--logprobs", "1000"))
        self.refused("generate", "--stop", "", TEXT, names=("stop",))


if __name__ == "__main__":
    run_cases()
