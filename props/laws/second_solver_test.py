"""A second solver, cvc5, confirms every proof obligation that `lawful laws --smtlib` writes."""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from cases import Case, run_cases  # noqa: E402

PROGRAM = os.environ["LAWFUL_PROGRAM"]


def verdict(text, seconds=120):
    done = subprocess.run(["cvc5", "--lang=smt2", "-"], input=text, capture_output=True, text=True, timeout=seconds)
    return (done.stdout + done.stderr).strip()


def without_the_negated_law(text):
    """The obligation's premises alone: the last assertion is the law's negation."""
    before, _, after = text.rpartition("(assert")
    return before + after[after.index("(check-sat)"):]


class SecondSolver(Case):
    def setUp(self):
        super().setUp()
        subprocess.run([PROGRAM, "laws", "--smtlib", self.scratch], check=True, stdout=subprocess.PIPE, timeout=60)
        self.obligations = {path.stem: path.read_text() for path in sorted(self.scratch.glob("*.smt2"))}

    def test_every_obligation_is_unsatisfiable(self):
        self.assertGreaterEqual(len(self.obligations), 25)
        for name, text in self.obligations.items():
            with self.subTest(law=name):
                self.assertEqual(verdict(text), "unsat")

    def test_no_law_holds_by_premises_that_cannot_be(self):
        for name, text in self.obligations.items():
            with self.subTest(law=name):
                self.assertEqual(verdict(without_the_negated_law(text)), "sat")

    def test_a_false_statement_is_satisfiable(self):
        wrong = self.obligations["gqa_head"].replace("(div ", "(mod ")
        self.assertNotEqual(wrong, self.obligations["gqa_head"])
        self.assertEqual(verdict(wrong), "sat")


if __name__ == "__main__":
    run_cases()
