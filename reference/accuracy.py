#!/usr/bin/env python3
"""Compares lawful, transformers F32 (eager) and llama.cpp F32 with the float64 oracle, on the same weights and prompts.

    python3 accuracy.py --program lawful --cache FOLDER --out docs/accuracy 135m=MODEL [360m=FOLDER …]

To be run in the environment of reference/setup_environment; reference/measure_accuracy does both. Results are kept in
CACHE/results.json, model by model, and OUT.md and OUT.svg are written from it.
"""
import argparse
import gc
import json
import os
import platform
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "engines"))

import accuracy_report
import errors
import long_context
from oracle import Oracle
from oracle_cache import OracleCache
from program import Program

GREEDY_PROMPTS = (4, 13, 19, 26)  # of prompts.json; each is continued by GREEDY_TOKENS
GREEDY_TOKENS = 512
CONTEXT = 8192                    # positions of the long text
LAYER_PROMPTS = (22, 31)          # whose intermediate values are compared, layer by layer


def say(text):
    print(f"accuracy: {text}", file=sys.stderr, flush=True)


def prompt_errors(engine, prompts, cache):
    """One row of measures a prompt."""
    rows = []
    for ids in prompts:
        values, reference = engine.logits(ids), cache.logits(ids)
        rows.append(dict(tokens=len(ids), max=errors.max_relative(values, reference),
                         rms=errors.rms_relative(values, reference), argmax=errors.argmax_agreement(values, reference)))
    return rows


def greedy_agreement(engine, sequences, cache):
    """For each (prompt length, ids): how many steps after the prompt have the oracle's argmax."""
    counts = []
    for length, ids in sequences:
        same = engine.logits(ids).argmax(-1) == cache.logits(ids).argmax(-1)
        counts.append(int(same[length - 1:-1].sum()))
    return counts


def oracle_sequences(proposer, prompts, cache):
    """Greedy continuations as the oracle has them: an engine proposes, the oracle corrects the first difference."""
    sequences = []
    for ids in prompts:
        total, right = len(ids) + GREEDY_TOKENS, len(ids)
        proposal = ids
        while right < total:
            proposal = proposal[:right] + proposer.greedy(proposal[:right], total - right)
            best = cache.logits(proposal).argmax(-1)
            while right < total and proposal[right] == best[right - 1]:
                right += 1
            if right < total:
                proposal[right] = int(best[right - 1])
                right += 1
        sequences.append((len(ids), proposal))
    return sequences


def layer_errors(program, transformers, model, prompts):
    """rms relative error of every intermediate value: {name: [per layer]} for lawful, [per layer] of y for transformers."""
    oracle = Oracle(model)
    every_layer = range(oracle.c["num_hidden_layers"])
    ours, theirs = {}, []
    for ids in prompts:
        _, reference = oracle.forward(ids, every_layer)
        made = program.trace(ids, every_layer)
        for name, values in reference.items():
            _, layer, part = name.split(".")
            ours.setdefault(part, [[] for _ in every_layer])[int(layer)].append(errors.rms_relative(made[name], values))
        residuals = transformers.residuals(ids)
        theirs.append([errors.rms_relative(r, reference[f"layer.{i}.y"]) for i, r in enumerate(residuals)])
    mean = lambda values: sum(values) / len(values)
    return dict(ours={part: [mean(v) for v in layers] for part, layers in ours.items()},
                transformers=[mean(v) for v in zip(*theirs)])


class Lawful(Program):
    def __init__(self, path, model, threads):
        super().__init__(path, model, ["-t", str(threads)])
        self.name = "lawful"


def measure(name, model, program, folder):
    from llama_cpp_f32 import LlamaCpp, write_gguf
    from transformers_f32 import Transformers
    with open(os.path.join(HERE, "prompts.json"), encoding="utf-8") as file:
        prompts = [prompt["ids"] for prompt in json.load(file)]
    cache = OracleCache(os.path.join(folder, "oracle"), name, model)
    say(f"{name}: float64 oracle over {len(prompts)} prompts")
    cache.make(prompts)
    result = dict(prompts={}, greedy={}, long={}, machine=accuracy_report.machine())

    whole_context = long_context.text(prompts, CONTEXT) if name == "135m" else None

    def run(engine):
        say(f"{name}: {engine.name}")
        if whole_context and not engine.name.startswith("llama.cpp"):
            result["long"][engine.name] = long_context.window_errors(engine.logits_at, whole_context, cache)
        result["prompts"][engine.name] = prompt_errors(engine, prompts, cache)
        result["greedy"][engine.name] = greedy_agreement(engine, sequences, cache)

    transformers, lawful = Transformers(model), Lawful(program, model, len(os.sched_getaffinity(0)))
    say(f"{name}: the oracle's greedy continuations")
    greedy_prompts = GREEDY_PROMPTS if name == "135m" else ()
    sequences = oracle_sequences(lawful, [prompts[i] for i in greedy_prompts], cache)
    run(transformers)
    run(lawful)
    say(f"{name}: layer by layer")
    result["layers"] = layer_errors(lawful, transformers, model, [prompts[i] for i in LAYER_PROMPTS])
    del transformers
    gc.collect()
    gguf = f"{cache.stem}-f32.gguf"
    if not os.path.exists(gguf):
        write_gguf(model, gguf)
    for threads in (1, 2):
        run(LlamaCpp(gguf, threads))
        gc.collect()
    return result


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", required=True)
    arguments.add_argument("--cache", required=True)
    arguments.add_argument("--out", required=True)
    arguments.add_argument("models", nargs="*", metavar="NAME=MODEL")
    arguments = arguments.parse_args()
    kept = os.path.join(arguments.cache, "results.json")
    results = json.load(open(kept, encoding="utf-8")) if os.path.exists(kept) else {}
    for name, model in (text.split("=", 1) for text in arguments.models):
        results[name] = measure(name, model, arguments.program, arguments.cache)
        with open(kept, "w", encoding="utf-8") as file:
            json.dump(results, file)
    accuracy_report.write(results, arguments.out)


if __name__ == "__main__":
    main()
