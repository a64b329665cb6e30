"""The files that the program writes, byte for byte, on the default model: the same for every thread count, cut of the
prompt and instruction set, and the same as the digests here, which were committed from a g++ release build. So builds of
other compilers and kinds, which run this test too, are compared with each other.
"""
import hashlib
import json
import struct

import program
from cases import run_cases

PROMPT = [504, 3575, 282, 4649, 314, 7042, 30, 198, 33, 30, 1116, 34, 30, 28, 5345, 253, 1165, 282, 260, 905, 216, 216, 81]
LOGITS = "e928b547111d7ffb"
TRACE = "562a7b33d7680e8c"
SHORT = PROMPT[:3]
SHORT_LOGITS = "251453ba2381a4dc"


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def rows(file):
    """The rows of the only tensor of a safetensors file."""
    size, = struct.unpack("<Q", file[:8])
    (tensor,) = (value for key, value in json.loads(file[8:8 + size]).items() if key != "__metadata__")
    count, width = tensor["shape"]
    data = file[8 + size:]
    return [struct.unpack_from(f"<{width}f", data, 4 * width * i) for i in range(count)]


class SameBits(program.ProgramCase):
    def written(self, command, ids, *options):
        out = self.scratch / "out.safetensors"
        self.done(command, "--ids", ",".join(map(str, ids)), "-o", str(out), *options)
        return out.read_bytes()

    def test_threads(self):
        for threads in (1, 2, 3, 7):
            with self.subTest(threads=threads):
                self.assertEqual(digest(self.written("logits", PROMPT, "-t", str(threads))), LOGITS)

    def test_pieces_of_the_prompt(self):
        for chunk in (1, 2, 3, 16, 17):
            with self.subTest(chunk=chunk):
                self.assertEqual(digest(self.written("logits", PROMPT, "--chunk", str(chunk))), LOGITS)

    def test_instruction_sets(self):
        sets = program.instruction_sets()
        self.assertTrue(sets)
        for isa in sets:
            with self.subTest(isa=isa):
                if isa == "scalar":  # some hundred times slower
                    self.assertEqual(digest(self.written("logits", SHORT, "--isa", isa)), SHORT_LOGITS)
                else:
                    self.assertEqual(digest(self.written("logits", PROMPT, "--isa", isa)), LOGITS)
                    self.assertEqual(digest(self.written("logits", SHORT, "--isa", isa, "--chunk", "2")), SHORT_LOGITS)

    def test_everything_at_once(self):
        for isa in program.instruction_sets():
            if isa != "scalar":
                options = ("--isa", isa, "-t", "3", "--chunk", "5", "--context", "23")
                self.assertEqual(digest(self.written("logits", PROMPT, *options)), LOGITS)
                self.assertEqual(digest(self.written("trace", PROMPT, "--layers", "0,29", *options)), TRACE)

    def test_the_intermediate_values(self):
        self.assertEqual(digest(self.written("trace", PROMPT, "--layers", "0,29")), TRACE)

    def test_what_was_generated_is_what_the_whole_text_gives(self):
        found = self.done("generate", "--json", "--ignore-eos", "-n", "12", "--ids", ",".join(map(str, PROMPT))).json()
        logits = rows(self.written("logits", PROMPT + found["ids"][:-1]))
        chosen = [row.index(max(row)) for row in logits[len(PROMPT) - 1:]]
        self.assertEqual(chosen, found["ids"])


if __name__ == "__main__":
    run_cases()
