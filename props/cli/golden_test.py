"""The program's text and ids are those of transformers (F32), through the real program and the default model."""
import json

import program
from cases import run_cases

GREEDY = json.loads((program.VALUES / "greedy_135m_instruct.json").read_text())
LONG = json.loads((program.VALUES / "greedy_135m_long.json").read_text())


class Generate(program.ProgramCase):
    def same_ids(self, cases, threads):
        for case in cases:
            with self.subTest(prompt=case["prompt"], threads=threads):
                found = self.done("generate", "--ignore-eos", "--json", "-n", str(len(case["greedy"])),
                                  "-t", str(threads), case["prompt"]).json()
                self.assertEqual(found["prompt_ids"], case["ids"])
                self.assertEqual(found["ids"], case["greedy"])
                self.assertEqual(found["text"], case["text"])
                self.assertEqual(found["stop"], "length")
                self.assertEqual(found["stats"]["threads"], threads)


class OneThread(Generate):
    def test_all_prompts(self):
        self.same_ids(GREEDY, 1)


class TwoThreads(Generate):
    def test_all_prompts(self):
        self.same_ids(GREEDY, 2)

    def test_a_thousand_ids(self):
        self.same_ids(LONG, 2)


class OneThreadLong(Generate):
    def test_a_thousand_ids(self):
        self.same_ids(LONG, 1)


class Stops(program.ProgramCase):
    def test_plain_output_is_the_completion_and_nothing_else(self):
        case = GREEDY[0]
        found = self.done("generate", "--ignore-eos", "-n", "32", case["prompt"])
        self.assertEqual(found.out.decode(), case["text"] + "\n")

    def test_an_end_of_generation_id_stops(self):
        case = GREEDY[0]
        end = case["greedy"].index(2)
        found = self.done("generate", "--json", "-n", "64", case["prompt"]).json()
        self.assertEqual(found["stop"], "eos")
        self.assertEqual(found["ids"][:end], case["greedy"][:end])
        self.assertLessEqual(len(found["ids"]), end + 1)
        self.assertEqual(found["text"], case["text"].partition("<|im_end|>")[0])

    def test_the_context_end_stops(self):
        case = GREEDY[0]
        found = self.done("generate", "--json", "--ignore-eos", "-n", "64", "--context", "16", case["prompt"]).json()
        self.assertEqual(found["stop"], "context")
        self.assertEqual(found["ids"], case["greedy"][:len(found["ids"])])
        # 16 positions hold the 5 ids of the prompt and 11 more; the twelfth is predicted from them, but not stored.
        self.assertEqual(len(found["ids"]), 12)

    def test_chunks_do_not_change_the_ids(self):
        case = GREEDY[11]
        for chunk in ("1", "3", "100"):
            with self.subTest(chunk=chunk):
                found = self.done("generate", "--json", "--ignore-eos", "-n", "8", "--chunk", chunk, case["prompt"])
                self.assertEqual(found.json()["ids"], case["greedy"][:8])

    def test_a_prompt_from_standard_input_is_taken_verbatim(self):
        case = GREEDY[2]
        found = self.done("generate", "--json", "--ignore-eos", "-n", "8", "-", stdin=case["prompt"].encode()).json()
        self.assertEqual((found["prompt_ids"], found["ids"]), (case["ids"], case["greedy"][:8]))

    def test_the_locale_does_not_matter(self):
        case = GREEDY[9]
        for locale in ("C", "C.UTF-8", "tr_TR.UTF-8"):
            with self.subTest(locale=locale):
                found = self.done("generate", "--json", "--ignore-eos", "-n", "4", case["prompt"],
                                  env={"LC_ALL": locale, "LAWFUL_MODEL": str(program.default_model())})
                self.assertEqual(found.json()["ids"], case["greedy"][:4])


if __name__ == "__main__":
    run_cases()
