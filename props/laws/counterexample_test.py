"""A law that does not hold is a build error that carries law, config, values and both sides, from both compilers."""
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "props" / "cli"))
from cases import Case, run_cases  # noqa: E402

# Mutated code, what of it is asserted, and what the error must name besides the law's and the code's own names.
CASES = [
    ("gqa_head", "interleaved_heads", "smollm2_135m", ["at<0, 3, 1>", "left<1>", "right<0>"]),
    ("kv_room", "one_row_short", "smollm2_1_7b", ["at<8191, 8192, 64>", "left<524288>", "right<524224>"]),
    ("causal", "own_key_unseen", "smollm2_360m", ["at<0>", "left<0>", "right<1>"]),
    ("layout_135m", "final_norm_forgotten", "smollm2_135m", ["left<134514432>", "right<134515008>"]),
]


class Counterexample(Case):
    def errors(self, compiler, law, code, model):
        source = self.scratch / "false.cpp"
        source.write_text('#include "laws/proof.hpp"\n#include "laws/registry.hpp"\nusing namespace lawful;\n'
                          f"static_assert(laws::proved<laws::{law}, model::{model}, laws::{code}>());\n")
        done = subprocess.run([compiler, "-std=c++20", f"-I{ROOT}", "-fsyntax-only", source],
                              capture_output=True, text=True, timeout=300)
        return done.returncode, done.stderr

    def check(self, compiler):
        self.assertIsNotNone(shutil.which(compiler), f"{compiler} is not installed")
        for law, code, model, parts in CASES:
            with self.subTest(law=law, code=code):
                status, text = self.errors(compiler, law, code, model)
                self.assertNotEqual(status, 0)
                line = next((l for l in text.splitlines() if "error:" in l and "refuted<" in l), "")
                for part in [law, code, model, *parts]:
                    self.assertIn(part, line)
        self.assertEqual(self.errors(compiler, "gqa_head", "Product", "smollm2_135m"), (0, ""))

    def test_gcc(self):
        self.check("g++")

    def test_clang(self):
        self.check("clang++")


if __name__ == "__main__":
    run_cases()
