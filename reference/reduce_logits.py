#!/usr/bin/env python3
"""Cut a file of logits down to a size that the repository can hold.

    python3 reduce_logits.py LOGITS.safetensors OUT.safetensors [--whole 0]

LOGITS holds K.ids and K.logits [tokens, vocab] for prompts K = 0, 1, …. Kept of each: the ids; the logits of every
5th vocabulary entry (5 shares no factor with any tile of the kernels, so every place in a tile is still seen), or all
of them for the prompts named by --whole; the argmax of every position and the largest magnitude, over the whole row.
"""
import argparse

import numpy as np

from safetensors_file import SafetensorsFile, write

STEP = 5


def reduced(ids, logits, step):
    return {
        "ids": ids, "step": np.array([step], np.int64), "logits": logits[:, ::step],
        "argmax": logits.argmax(-1).astype(np.int64), "max_ref": np.abs(logits).max(keepdims=True)[0],
    }


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("logits")
    arguments.add_argument("out")
    arguments.add_argument("--whole", type=int, nargs="*", default=[])
    arguments = arguments.parse_args()
    file, kept = SafetensorsFile(arguments.logits), {}
    for prompt in sorted(int(name.split(".")[0]) for name in file.keys() if name.endswith(".ids")):
        ids, logits = file.tensor(f"{prompt}.ids"), file.tensor(f"{prompt}.logits")
        step = 1 if prompt in arguments.whole else STEP
        kept.update({f"{prompt}.{name}": value for name, value in reduced(ids, logits, step).items()})
    write(arguments.out, kept)


if __name__ == "__main__":
    main()
