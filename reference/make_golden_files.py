#!/usr/bin/env python3
"""Write values/golden.gguf, values/golden.safetensors and values/golden_narrow.json: files as others write them.

    python3 reference/make_golden_files.py reference/values        (needs gguf 0.19, safetensors 0.8 and numpy)

The containers hold the tensor "t.N" for each storage N, 2 rows of 64 values (256 for the block types of 256), and
metadata of several types. golden_narrow.json holds F32 values and what numpy (F16), the rounding of BF16 of the gguf
package, and its Q8_0 make of them.
"""
import json
import sys

import numpy as np
from gguf import GGMLQuantizationType, GGUFWriter, quants
from safetensors.numpy import save_file


def write_gguf(path, values):
    writer = GGUFWriter(path, "llama")
    writer.add_uint32("number", 4294967295)
    writer.add_int32("negative", -1)
    writer.add_float32("real", 0.1)
    writer.add_bool("yes", True)
    writer.add_string("text", "é\n")
    writer.add_array("words", ["a", "", "Ġthe"])
    writer.add_array("numbers", [1, -2, 3])
    for name in ["F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1"]:
        kind = GGMLQuantizationType[name]
        data = quants.quantize(values, kind)
        if name in ("F32", "F16"):
            writer.add_tensor(f"t.{name}", data)
        else:
            writer.add_tensor(f"t.{name}", data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def narrow_cases(rng):
    """Values around every kind of rounding: ties, subnormals, the largest; rows of 32 for Q8_0."""
    halves = np.arange(0, 0x7C00, 37, dtype=np.uint16).view(np.float16).astype(np.float32)
    ulp = np.spacing(halves.astype(np.float16)).astype(np.float32)
    around = np.concatenate([halves, halves + ulp / 2, halves + ulp / 4, halves + ulp * np.float32(0.5001)])
    bits = rng.integers(0, 0x7F7F0000, 1024, dtype=np.uint32).view(np.float32)
    # Q8_0: every 32 values share a scale; ordinary weights, one row of zeros, one of very small values
    weights = rng.normal(0, 0.05, (40, 32)).astype(np.float32)
    weights[0] = 0
    weights[1] *= 1e-6
    weights[2] *= 1e5
    return around[np.abs(around) < 65520], bits, weights


def hexadecimal(array):
    return np.ascontiguousarray(array).tobytes().hex()


def main():
    folder = sys.argv[1]
    rng = np.random.default_rng(20261129)
    values = rng.normal(0, 0.1, (2, 64)).astype(np.float32)
    write_gguf(f"{folder}/golden.gguf", values)
    save_file({"f32": values, "f16": values.astype(np.float16)}, f"{folder}/golden.safetensors", metadata={"format": "np"})
    around, bits, weights = narrow_cases(rng)
    halves = around.astype(np.float16)
    briefs = quants.quantize(bits.reshape(1, -1), GGMLQuantizationType.BF16)
    blocks = quants.quantize(weights, GGMLQuantizationType.Q8_0)
    with open(f"{folder}/golden_narrow.json", "w") as file:
        json.dump({"F16": [hexadecimal(around), hexadecimal(halves)], "BF16": [hexadecimal(bits), hexadecimal(briefs)],
                   "Q8_0": [hexadecimal(weights), hexadecimal(blocks)],
                   "container": hexadecimal(values)}, file, indent=0)


main()
