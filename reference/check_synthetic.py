#!/usr/bin/env python3
"""Test: a synthetic checkpoint at a real shape, made here, gives the reference's greedy ids and logits.

    python3 check_synthetic.py PROGRAM {360m,1.7b} FOLDER

FOLDER keeps the checkpoint for the next run (724 MB for 360m, 3.4 GB for 1.7b); a stale or damaged one is made anew.
"""
import json
import os
import sys

import numpy as np

import errors
from program import Program
from safetensors_file import SafetensorsFile
from synthetic import VALUES, checkpoint
from tally import Tally

LOGITS_BOUND = 3e-6  # max |difference| / max |reference|


def check_greedy(tally, program, size, threads):
    with open(os.path.join(VALUES, f"greedy_synthetic_{size}.json"), encoding="utf-8") as file:
        cases = json.load(file)
    for case in cases:
        name = f"greedy {case['prompt'][:24]!r}, {threads} threads"
        made = tally.attempt(name, program.generate, len(case["greedy"]), case["prompt"])
        if made is not None:
            tally.case(name + ": prompt", made["prompt_ids"] == case["ids"], made["prompt_ids"])
            tally.case(name, made["ids"] == case["greedy"], made["ids"])


def check_logits(tally, program, size):
    reference = SafetensorsFile(os.path.join(VALUES, f"logits_synthetic_{size}.safetensors"))
    ours = tally.attempt("logits", program.logits, reference.tensor("0.ids").tolist())
    if ours is None:
        return
    kept = ours[:, ::reference.tensor("0.step")[0]]
    found = np.abs(kept.astype(np.float64) - reference.tensor("0.logits")).max() / reference.tensor("0.max_ref")[0]
    tally.case(f"logits within {LOGITS_BOUND}", found <= LOGITS_BOUND, found)
    tally.case("argmax at every position", (ours.argmax(-1) == reference.tensor("0.argmax")).all())
    moved = errors.max_relative(ours[:, 1::reference.tensor("0.step")[0]], reference.tensor("0.logits"))
    tally.case("logits of another entry are refused", moved > LOGITS_BOUND, moved)


def main():
    path, size, folder = sys.argv[1:]
    tally = Tally()
    model = tally.attempt(f"synthetic {size}", checkpoint, size, folder)
    if model is not None:
        check_logits(tally, Program(path, model), size)
        for threads in (1, 2):
            check_greedy(tally, Program(path, model, ["-t", str(threads)]), size, threads)
    tally.finish()


if __name__ == "__main__":
    main()
