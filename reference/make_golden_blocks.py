#!/usr/bin/env python3
"""Write values/golden_blocks.json: quantized blocks and what the `gguf` package (0.19.0) dequantizes them to.

    python3 reference/make_golden_blocks.py > reference/values/golden_blocks.json        (needs gguf and numpy)

For each block type: blocks of random bytes, with scales that are finite (normal, subnormal, negative and zero F16
values), as hexadecimal, and the F32 values as the hexadecimal of their little-endian bits.
"""
import json

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, quants

# type: byte positions of the F16 scales in a block
SCALES = {"Q8_0": [0], "Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q4_K": [0, 2], "Q6_K": [208]}
FIRST = [0x3C00, 0x0001, 0x83FF, 0x0000, 0x8000, 0x7BFF, 0xFBFF, 0x0400]  # 1, subnormals, zeros, ±65504, 2^-14


def blocks(name, count, rng):
    size = GGML_QUANT_SIZES[GGMLQuantizationType[name]][1]
    data = rng.integers(0, 256, (count, size), dtype=np.uint8)
    for n, at in enumerate(SCALES[name]):
        scales = rng.normal(0, 0.02, count).astype(np.float16)
        scales.view(np.uint16)[: len(FIRST)] = np.roll(FIRST[:count], n)[: count]
        data[:, at : at + 2] = scales.view(np.uint8).reshape(count, 2)
    return data


def main():
    rng = np.random.default_rng(20261129)
    golden = {}
    for name in SCALES:
        data = blocks(name, 10 if name.endswith("_K") else 16, rng)
        values = quants.dequantize(data, GGMLQuantizationType[name]).astype("<f4")
        golden[name] = {"blocks": [b.tobytes().hex() for b in data], "values": [v.tobytes().hex() for v in values]}
    print(json.dumps(golden, indent=0))


main()
