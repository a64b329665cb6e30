"""`tokenize` and `detokenize` give what the reference tokenizer gives, row by row, through the real program."""
import json
import re

import program
from cases import run_cases


def rows(name):
    return [json.loads(line) for line in (program.VALUES / name).read_text(encoding="utf-8").split("\n") if line]


TOKENIZER = rows("tokenizer_cases.jsonl")
DETOKENIZER = rows("detokenizer_cases.jsonl")


def lines(values):
    return "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values).encode("utf-8", "surrogatepass")


class Tokenize(program.ProgramCase):
    def same_rows(self, found, expected):
        self.assertEqual(len(found), len(expected))
        wrong = [index for index, pair in enumerate(zip(found, expected)) if pair[0] != pair[1]]
        self.assertEqual(wrong, [], f"row {wrong[:1]}: {[(found[i], expected[i]) for i in wrong[:1]]}")

    def test_every_text(self):
        found = self.done("tokenize", "--jsonl", "-", stdin=lines(row["text"] for row in TOKENIZER))
        self.same_rows(found.json_lines(), [row["ids"] for row in TOKENIZER])

    def test_every_text_with_special_tokens_as_text(self):
        found = self.done("tokenize", "--plain", "--jsonl", "-", stdin=lines(row["text"] for row in TOKENIZER))
        self.same_rows(found.json_lines(), [row["ids_plain"] for row in TOKENIZER])

    def test_escaped_json_is_the_same_text(self):
        texts = "".join(json.dumps(row["text"]) + "\n" for row in TOKENIZER).encode()
        found = self.done("tokenize", "--jsonl", "-", stdin=texts)
        self.same_rows(found.json_lines(), [row["ids"] for row in TOKENIZER])

    def test_single_texts(self):
        for row in [row for row in TOKENIZER if row["text"] and "\0" not in row["text"]][:200:10]:
            for source in (("--", row["text"].encode()), ("-",)):
                with self.subTest(text=row["text"], source=source[0]):
                    found = self.done("tokenize", *source, stdin=row["text"].encode())
                    self.assertEqual([int(word) for word in re.findall(rb"\d+", found.out)], row["ids"])

    def test_nothing_in_nothing_out(self):
        self.assertEqual(self.done("tokenize", "--jsonl", "-").out, b"")
        self.assertEqual(self.done("detokenize", "--jsonl", "-").out, b"")


class Detokenize(program.ProgramCase):
    def test_every_sequence(self):
        found = self.done("detokenize", "--jsonl", "-", stdin=lines(row["ids"] for row in DETOKENIZER)).json_lines()
        expected = [{"hex": row["bytes_hex"], "text": row["text"]} for row in DETOKENIZER]
        self.assertEqual(len(found), len(expected))
        for index, (one, other) in enumerate(zip(found, expected)):
            self.assertEqual(one, other, f"row {index}: {DETOKENIZER[index]['ids']}")

    def test_single_sequences_give_the_exact_bytes(self):
        for row in DETOKENIZER[:200:20]:
            with self.subTest(ids=row["ids"]):
                found = self.done("detokenize", *map(str, row["ids"]))
                self.assertEqual(found.out, bytes.fromhex(row["bytes_hex"]))


if __name__ == "__main__":
    run_cases()
