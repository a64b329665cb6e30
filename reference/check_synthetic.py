#!/usr/bin/env python3
"""Test: a synthetic checkpoint at a real shape, made here, gives the reference's greedy ids and logits in little memory.

    python3 check_synthetic.py PROGRAM {360m,1.7b} FOLDER

FOLDER keeps the checkpoint for the next run (724 MB for 360m, 3.4 GB for 1.7b); a stale or damaged one is made anew.
"""
import json
import os
import sys

import numpy as np

import errors
from peak_memory import peak_kib_of
from program import Program
from safetensors_file import SafetensorsFile
from synthetic import VALUES, checkpoint
from tally import Tally

LOGITS_BOUND = 3e-6  # max |difference| / max |reference|
CONTEXT = 512
MEMORY_BOUND = 48e6  # bytes beyond the weights, which are mapped, and the cache


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


def check_memory(tally, program, model):
    with open(os.path.join(model, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    head_dim = config["hidden_size"] // config["num_attention_heads"]
    cache = CONTEXT * config["num_hidden_layers"] * config["num_key_value_heads"] * head_dim * 2 * 4
    weights = os.path.getsize(os.path.join(model, "model.safetensors"))
    ids = ",".join(str(i) for i in range(1, 257))
    command = [program, "generate", "-m", model, "-t", "2", "--context", str(CONTEXT), "-n", "8", "--ignore-eos", "--ids", ids]
    peak = tally.attempt("memory", peak_kib_of, command)
    if peak is not None:
        more = peak * 1024 - weights - cache
        tally.case("the measurement saw the weights read", more > -0.1 * weights, more)
        tally.case(f"memory beyond weights and cache within {MEMORY_BOUND:.0f} bytes", more <= MEMORY_BOUND, more)


def main():
    path, size, folder = sys.argv[1:]
    tally = Tally()
    model = tally.attempt(f"synthetic {size}", checkpoint, size, folder)
    if model is not None:
        check_logits(tally, Program(path, model), size)
        check_memory(tally, path, model)
        for threads in (1, 2):
            check_greedy(tally, Program(path, model, ["-t", str(threads)]), size, threads)
    tally.finish()


if __name__ == "__main__":
    main()
