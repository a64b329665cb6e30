"""What the tests of `lawful batch` share: requests, and runs that keep to one input and one output."""
import json
import random

import program

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
