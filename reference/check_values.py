#!/usr/bin/env python3
"""Test: the program's logits and intermediate values against the float64 oracle, and the oracle against the committed
reference values, which were made with another implementation of it (on torch).

    python3 check_values.py PROGRAM
"""
import os
import sys

import numpy as np

import errors
from oracle import Oracle
from program import Program, default_model
from safetensors_file import SafetensorsFile
from tally import Tally

VALUES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "values")
LOGITS_BOUND = 3e-6       # max |difference| / max |reference| over a prompt
ACTIVATIONS_BOUND = 1e-5  # the same over one intermediate tensor


def check_oracle(tally, reference, prompt, logits):
    """The oracle made here, rounded to F32, is the committed one."""
    kept = logits[:, ::reference.tensor(f"{prompt}.step")[0]]
    tally.case(f"oracle logits {prompt}", errors.is_rounding_of(reference.tensor(f"{prompt}.logits"), kept),
               errors.max_relative(reference.tensor(f"{prompt}.logits"), kept))
    tally.case(f"oracle argmax {prompt}", (logits.argmax(-1) == reference.tensor(f"{prompt}.argmax")).all())


def check_logits(tally, program, prompt, ids, logits):
    ours = tally.attempt(f"logits {prompt}", program.logits, ids)
    if ours is None:
        return
    tally.case(f"logits {prompt} are F32", ours.dtype == np.float32, ours.dtype)
    found = errors.max_relative(ours, logits)
    tally.case(f"logits {prompt} within {LOGITS_BOUND}", found <= LOGITS_BOUND, found)
    tally.case(f"logits {prompt} argmax at every position", errors.argmax_agreement(ours, logits) == 1)
    shifted = errors.max_relative(np.roll(ours, 1, axis=-1), logits)
    tally.case(f"logits {prompt} of another entry are refused", shifted > LOGITS_BOUND, shifted)


def check_trace(tally, program, ids, activations, committed):
    layers = sorted({int(name.split(".")[1]) for name in activations})
    ours = tally.attempt("trace", program.trace, ids, layers)
    for name in committed.keys():
        tally.case(f"oracle {name}", errors.is_rounding_of(committed.tensor(name), activations[name]))
    if ours is None:
        return
    missing = sorted(set(activations) - set(ours))
    tally.case("trace writes what was asked for", not missing, missing[:5])
    for name in activations.keys() & ours.keys():
        found = errors.max_relative(ours[name], activations[name])
        tally.case(f"trace {name} within {ACTIVATIONS_BOUND}", found <= ACTIVATIONS_BOUND, found)


def main():
    model = default_model()
    program = Program(sys.argv[1], model)
    tally, oracle = Tally(), Oracle(model)
    reference = SafetensorsFile(os.path.join(VALUES, "logits_135m_instruct.safetensors"))
    every_layer = range(oracle.c["num_hidden_layers"])
    for prompt in range(sum(name.endswith(".ids") for name in reference.keys())):
        ids = reference.tensor(f"{prompt}.ids").tolist()
        logits, activations = oracle.forward(ids, every_layer if prompt == 0 else ())
        check_oracle(tally, reference, prompt, logits)
        check_logits(tally, program, prompt, ids, logits)
        if prompt == 0:
            committed = SafetensorsFile(os.path.join(VALUES, "activations_135m_instruct.safetensors"))
            check_trace(tally, program, ids, activations, committed)
    tally.finish()


if __name__ == "__main__":
    main()
