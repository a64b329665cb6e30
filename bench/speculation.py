#!/usr/bin/env python3
"""What guessing gains or loses: decoded tokens a second with guesses and without, in turns.

    bench/speculation.py PROGRAM MODEL [--rounds N]

`bench/compare speculation` puts the same into docs/benchmarks.md. The texts are answers of an instruct model (the default
one, and the same weights as F32) to be written from what the prompt says (code to edit, a passage to quote) or freely.
The ids are the same with every choice, which is checked; a ratio is taken within one round.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

CODE = '''def mean_and_deviation(values):
    count = 0
    total = 0.0
    for value in values:
        count = count + 1
        total = total + value
    mean = total / count
    squares = 0.0
    for value in values:
        squares = squares + (value - mean) ** 2
    deviation = (squares / count) ** 0.5
    return mean, deviation
'''
PASSAGE = """The lighthouse stands on a narrow spit of rock where two currents meet. Its keeper climbs one hundred and twelve \
steps every evening, trims the lamp, winds the clockwork that turns the lens, and writes the hour, the wind and the state \
of the sea into a book that has been kept without a gap for ninety years."""
PROMPTS = {
    "code editing": f"Rename the variable `total` to `sum_of_values` in this Python function and print it whole:\n\n{CODE}",
    "quoting": f"Repeat this text word for word:\n\n{PASSAGE}",
    "free text": "Write a long story about a girl who finds an old map in her grandmother's attic.",
}
MODES = {"never": ["--no-speculate"], "where it pays": [], "always": ["--speculate"]}
TOKENS = 250


def answer(program, model, prompt, options):
    command = [program, "generate", "--chat", "-m", model, "-n", str(TOKENS), "--json", *options, "-"]
    done = subprocess.run(command, input=prompt, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def measure(program, models, rounds):
    """{model: {text: {mode: [tokens/s of each round]}}}."""
    result = {}
    for name, model in models.items():
        result[name] = {}
        for text, prompt in PROMPTS.items():
            rates, ids = {mode: [] for mode in MODES}, set()
            for _ in range(rounds):
                for mode, options in MODES.items():
                    made = answer(program, model, prompt, options)
                    rates[mode].append(1e3 / made["stats"]["decode_ms_per_token"])
                    ids.add(tuple(made["ids"]))
            if len(ids) != 1:
                raise RuntimeError(f"{name}, {text}: expected the same ids with guesses and without, found others")
            result[name][text] = rates
    return result


def table(result):
    lines = ["| weights | text | without, tokens/s | where it pays (the default), ratio | always, ratio |", "|---" * 5 + "|"]
    for name, texts in result.items():
        for text, rates in texts.items():
            ratios = [statistics.median(a / b for a, b in zip(rates[mode], rates["never"]))
                      for mode in ("where it pays", "always")]
            lines.append(f"| {name} | {text} | {statistics.median(rates['never']):.1f} | "
                         + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |")
    return "\n".join(lines)


def as_f32(program, model, folder):
    """The same weights as an F32 GGUF."""
    path = os.path.join(folder, "default-f32.gguf")
    subprocess.run([program, "convert", model, path, "--to", "f32"], stdout=subprocess.DEVNULL, check=True)
    return path


def measure_default(program, model, rounds):
    with tempfile.TemporaryDirectory() as folder:
        return measure(program, {"Q4_1": model, "F32": as_f32(program, model, folder)}, rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("model")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(table(measure_default(options.program, options.model, options.rounds)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
