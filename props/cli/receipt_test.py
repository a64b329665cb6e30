"""Receipts through the real program: written on one setting, verified on others."""
import json

import program
from cases import run_cases

TEXT = "The capital of France is"


class Receipts(program.ProgramCase):
    def receipt(self, *options):
        path = self.scratch / "receipt.json"
        self.done("generate", "-n", "8", "--receipt", str(path), *options, TEXT)
        return path

    def test_a_receipt_verifies_on_other_settings(self):
        path = self.receipt("-t", "2", "--isa", program.instruction_sets()[0], "--speculate")
        first = path.read_bytes()
        for options in (("-t", "1", "--isa", program.instruction_sets()[1]), ("--chunk", "2"), ("-t", "3")):
            with self.subTest(options=options):
                out = self.done("verify", *options, str(path)).out
                self.assertEqual(out, b"8 steps, each with the same bits\n")
        self.assertEqual(self.receipt("-t", "1", "--no-speculate", "--chunk", "1").read_bytes(), first)

    def test_the_first_step_that_differs(self):
        path = self.receipt()
        receipt = json.loads(path.read_text())
        receipt["steps"][3] = "0" * 64
        path.write_text(json.dumps(receipt))
        self.refused("verify", str(path), status=program.FAILED, names=("step 3", "digest"))

    def test_another_model(self):
        path = self.receipt()
        receipt = json.loads(path.read_text())
        receipt["files"][0] = "0" * 64
        path.write_text(json.dumps(receipt))
        self.refused("verify", str(path), names=("the model's files",))

    def test_no_receipt(self):
        path = self.scratch / "other.json"
        path.write_text("{}")
        self.refused("verify", str(path), names=(str(path), "format"))
        self.refused("verify", str(self.scratch / "absent"), names=("absent",))

    def test_nothing_is_left_where_it_cannot_be_written(self):
        path = str(self.scratch / "absent" / "receipt.json")
        result = program.run("generate", "-n", "2", "--receipt", path, TEXT)
        self.assertEqual((result.status, result.out), (program.FAILED, b""), str(result))


if __name__ == "__main__":
    run_cases()
