#!/usr/bin/env python3
"""Compares lawful, transformers F32 (eager) and llama.cpp F32 with the float64 oracle, on the same weights and prompts.

    python3 accuracy.py --program lawful --cache FOLDER --out docs/accuracy 135m=MODEL [360m=FOLDER …]

To be run in the environment of reference/setup_environment; reference/measure_accuracy does both. What is measured is
kept in OUT_NAME.json: lawful is always measured anew, the other engines, whose versions are pinned, only with --again.
OUT.md and OUT.svg are written from it.
"""
import argparse
import functools
import gc
import json
import os
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
    """rms relative errors: {name: [by layer]} of lawful's intermediate values, [by layer] of transformers' y."""
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


class Comparison:
    """One model's measures, kept in OUT_NAME.json as they are made: an engine that has them is skipped."""

    def __init__(self, name, model, program, folder, out):
        self.name, self.model, self.kept = name, model, f"{out}_{name}.json"
        with open(os.path.join(HERE, "prompts.json"), encoding="utf-8") as file:
            self.prompts = [prompt["ids"] for prompt in json.load(file)]
        self.cache = OracleCache(os.path.join(folder, "oracle"), name, model)
        self.lawful = Lawful(program, model, len(os.sched_getaffinity(0)))
        self.result = dict(prompts={}, greedy={}, long={})
        if os.path.exists(self.kept):
            with open(self.kept, encoding="utf-8") as file:
                self.result.update(json.load(file))
        self.result.update(accuracy_report.circumstances())

    def save(self):
        with open(self.kept + ".part", "w", encoding="utf-8") as file:
            json.dump(self.result, file)
        os.replace(self.kept + ".part", self.kept)

    def forget(self, engines):
        for measure in ("prompts", "greedy", "long"):
            for engine in engines & self.result[measure].keys():
                del self.result[measure][engine]

    @functools.cached_property
    def sequences(self):
        """Texts for the greedy measure: with real weights only, since synthetic ones soon repeat themselves."""
        greedy = [self.prompts[i] for i in GREEDY_PROMPTS] if self.name == "135m" else []
        return oracle_sequences(self.lawful, greedy, self.cache)

    def measure(self, engine):
        say(f"{self.name}: {engine.name}")
        self.result["prompts"][engine.name] = prompt_errors(engine, self.prompts, self.cache)
        self.result["greedy"][engine.name] = greedy_agreement(engine, self.sequences, self.cache)
        self.save()

    def measure_long(self, engine):
        say(f"{self.name}: {engine.name} over {CONTEXT} positions")
        text = long_context.text(self.prompts, CONTEXT)
        self.result["long"][engine.name] = long_context.window_errors(engine.logits_at, text, self.cache)
        self.save()

    def measure_torch(self):
        """transformers, and what needs it: the comparison layer by layer."""
        from transformers_f32 import Transformers
        transformers = Transformers(self.model)
        if transformers.name not in self.result["prompts"]:
            self.measure(transformers)
        say(f"{self.name}: layer by layer")
        prompts = [self.prompts[i] for i in LAYER_PROMPTS]
        self.result["layers"] = layer_errors(self.lawful, transformers, self.model, prompts)
        self.save()

    def measure_llama(self, threads):
        from llama_cpp_f32 import LlamaCpp, write_gguf
        if LlamaCpp.name_for(threads) in self.result["prompts"]:
            return
        gguf = f"{self.cache.stem}-f32.gguf"
        if not os.path.exists(gguf):
            write_gguf(self.model, gguf)
        self.measure(LlamaCpp(gguf, threads))

    def run(self):
        say(f"{self.name}: float64 oracle over {len(self.prompts)} prompts")
        self.cache.make(self.prompts)
        self.measure(self.lawful)
        self.measure_torch()
        for threads in (1, 2):
            gc.collect()
            self.measure_llama(threads)

    def run_long(self):
        """lawful and transformers along the whole context."""
        from transformers_f32 import Transformers
        self.measure_long(self.lawful)
        if Transformers.name not in self.result["long"]:
            self.measure_long(Transformers(self.model))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", required=True)
    arguments.add_argument("--cache", required=True)
    arguments.add_argument("--out", required=True)
    arguments.add_argument("--again", action="store_true", help="measure the other engines again too")
    arguments.add_argument("--long", action="store_true", help=f"the 135M along {CONTEXT} positions too (12 GB)")
    arguments.add_argument("models", nargs="*", metavar="NAME=MODEL")
    arguments = arguments.parse_args()
    os.makedirs(arguments.cache, exist_ok=True)
    for name, model in (text.split("=", 1) for text in arguments.models):
        comparison = Comparison(name, model, arguments.program, arguments.cache, arguments.out)
        others = set(comparison.result["prompts"]) - {"lawful"}
        comparison.forget({"lawful"} | (others if arguments.again else set()))
        comparison.run()
        if arguments.long and name == "135m":
            comparison.run_long()
    accuracy_report.write(read_results(arguments.out), arguments.out)


def read_results(out):
    """Every model's measures that are there, whole."""
    results = {}
    for name in accuracy_report.TITLES:
        path = f"{out}_{name}.json"
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                result = json.load(file)
            if "lawful" in result["prompts"] and "layers" in result:
                results[name] = result
    return results


if __name__ == "__main__":
    main()
