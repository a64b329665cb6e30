#!/usr/bin/env python3
"""Test: lawful and transformers F32 on 200 random prompts against the float64 oracle.

    python3 check_live.py PROGRAM [SEED]      (in the environment of setup_environment)

Prompts are cuts of prompts.json (text and code) and random ids, 1 to 48 tokens. lawful must be within 3e-6 of the
oracle on each, have its argmax wherever the two best logits are further apart than that, and have at most half of
transformers' rms error in the geometric mean.

One prompt in thirty has a position at which the model itself magnifies the last bit of an F32 number a thousandfold, most
often the second token. No arithmetic whose residual stream is F32 is within 3e-6 there: where lawful is not, the same
oracle is run with nothing but that stream disturbed, by up to half a unit in the last place after each layer, and lawful
must be within four times what that makes of the logits.
"""
import json
import os
import random
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "engines"))

import errors
from accuracy_report import geometric
from oracle import Oracle
from program import Program, default_model
from tally import Tally
from transformers_f32 import Transformers

PROMPTS = 200
LOGITS_BOUND = 3e-6  # max |difference| / max |reference|
MAGNIFIED_BOUND = 4  # times what the disturbed oracle differs by, the most of four
RATIO_BOUND = 0.5    # our rms error over transformers'


def random_prompts(seed):
    """Half of them cuts of text and code, half of them random ids."""
    generator = random.Random(seed)
    with open(os.path.join(HERE, "prompts.json"), encoding="utf-8") as file:
        texts = [prompt["ids"] for prompt in json.load(file)]
    for number in range(PROMPTS):
        length = generator.randint(1, 48)
        if number % 2:
            yield [generator.randrange(49152) for _ in range(length)]
        else:
            ids = generator.choice(texts)
            start = generator.randrange(len(ids))
            yield ids[start:start + length]


def same_argmax(ours, reference):
    """At every position where the reference's two best logits differ by more than the bound."""
    best = np.partition(reference, -2, axis=-1)[:, -2:]
    clear = best[:, 1] - best[:, 0] > 2 * LOGITS_BOUND * np.abs(reference).max()
    return bool((ours.argmax(-1) == reference.argmax(-1))[clear].all())


class Disturbed(Oracle):
    """The oracle with a residual stream as inexact as F32 keeps it."""

    def __init__(self, model, seed):
        super().__init__(model)
        self.random = np.random.default_rng(seed)

    def layer(self, *inputs):
        values = super().layer(*inputs)
        values["y"] *= 1 + 2.0**-24 * self.random.uniform(-1, 1, values["y"].shape)
        return values


def magnified(model, prompts, references):
    """By how much the logits of each prompt differ at most where nothing but the residual stream is inexact."""
    most = np.zeros(len(prompts))
    for seed in range(4):
        for i, (logits, _) in enumerate(Disturbed(model, seed).forward_each(prompts)):
            most[i] = max(most[i], errors.max_relative(logits, references[i]))
    return most


def main():
    model = default_model()
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}")
    prompts = list(random_prompts(seed))
    tally, program, transformers = Tally(), Program(sys.argv[1], model), Transformers(model)
    ratios, beyond = [], []
    for number, (reference, _) in enumerate(Oracle(model).forward_each(prompts)):
        name = f"prompt {number}, {prompts[number][:3]}…, {len(prompts[number])} tokens"
        ours = tally.attempt(name, program.logits, prompts[number])
        if ours is None:
            continue
        found = errors.max_relative(ours, reference)
        if found <= LOGITS_BOUND:
            tally.case(f"{name} within {LOGITS_BOUND}", True)
        else:
            beyond.append((name, prompts[number], reference, found))
        tally.case(f"{name} argmax", same_argmax(ours, reference))
        theirs = errors.rms_relative(transformers.logits(prompts[number]), reference)
        ratios.append(errors.rms_relative(ours, reference) / theirs)
    names, hard, references, found = zip(*beyond) if beyond else ((), (), (), ())
    for name, ours, bound in zip(names, found, MAGNIFIED_BOUND * magnified(model, hard, references)):
        print(f"{name}: off by {ours:.1e}, where F32 is magnified to allow {bound:.1e}")
        tally.case(f"{name} within {bound}", ours <= bound, ours)
    ratio = geometric(ratios or [np.inf])
    print(f"rms error over transformers': geometric mean {ratio:.3f}, worst {max(ratios, default=np.inf):.3f}")
    tally.case(f"rms error at most {RATIO_BOUND} of transformers'", ratio <= RATIO_BOUND, ratio)
    tally.finish()


if __name__ == "__main__":
    main()
