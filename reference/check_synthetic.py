#!/usr/bin/env python3
"""Test: a synthetic checkpoint at a real shape, made here, gives the reference's greedy ids and logits.

    python3 check_synthetic.py PROGRAM {360m,1.7b} FOLDER

FOLDER keeps the checkpoint for the next run (724 MB for 360m, 3.4 GB for 1.7b); a stale or damaged one is made anew.
"""
import hashlib
import json
import os
import shutil
import subprocess
import sys

import numpy as np

import errors
from program import Program
from safetensors_file import SafetensorsFile
from tally import Tally

HERE = os.path.dirname(os.path.abspath(__file__))
VALUES = os.path.join(HERE, "values")
LOGITS_BOUND = 3e-6  # max |difference| / max |reference|
SHA256 = {"360m": "ab2fab9fe94225a06309f7b00fea58f096ea9caeefbbb61533584160ad5d8046",
          "1.7b": "97c664c066e2fc0d8145181dcd93d798473e3bf29d9a13f07b17e4cef8ed0728"}


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 22):
            digest.update(block)
    return digest.hexdigest()


def checkpoint(size, folder):
    """The checkpoint's folder, made where it is not there yet, whole and with a tokenizer."""
    path = os.path.join(folder, size)
    weights = os.path.join(path, "model.safetensors")
    if not (os.path.exists(weights) and sha256(weights) == SHA256[size]):
        shutil.rmtree(path, ignore_errors=True)
        made = path + ".making"
        subprocess.run([sys.executable, "-B", os.path.join(HERE, "make_synthetic.py"), size, made], check=True)
        found = sha256(os.path.join(made, "model.safetensors"))
        if found != SHA256[size]:
            raise ValueError(f"synthetic {size}: expected SHA-256 {SHA256[size]}, made {found}")
        os.replace(made, path)
    shutil.copyfile(os.path.join(VALUES, "tokenizer.json"), os.path.join(path, "tokenizer.json"))
    return path


def check_greedy(tally, program, size, threads):
    with open(os.path.join(VALUES, f"greedy_synthetic_{size}.json"), encoding="utf-8") as file:
        cases = json.load(file)
    for case in cases:
        name = f"greedy {case['prompt'][:24]!r}, {threads} threads"
        made = tally.attempt(name, program.greedy, case["prompt"], len(case["greedy"]))
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
