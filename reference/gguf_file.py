"""Reads a GGUF file (version 2 or 3): its metadata, and its tensors widened to F32. numpy only.

Format: the GGUF specification of ggml. Storage kinds: F32, F16, BF16, Q8_0, Q4_0, Q4_1 (the ones the reference
checkpoints use); another kind is an error that names it.
"""
import struct

import numpy as np

SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9


def _halves(blocks, at):
    """The F16 at byte `at` of every block, as an F32 column."""
    return blocks[:, at:at + 2].copy().view("<f2").astype(np.float32)


def _nibbles(blocks, at):
    """32 four-bit values of every block: the low halves of 16 bytes, then the high halves."""
    packed = blocks[:, at:at + 16]
    return np.concatenate([packed & 15, packed >> 4], axis=1)


def _bf16(blocks):
    return (blocks.view("<u2").astype(np.uint32) << 16).view(np.float32)


# ggml type: name, values a block, bytes a block, blocks of bytes -> F32. Every product below is exact in F32 (at most
# 11 + 8 significant bits), so only the addition of Q4_1 rounds, once.
KINDS = {
    0: ("F32", 1, 4, lambda b: b.view("<f4")),
    1: ("F16", 1, 2, lambda b: b.view("<f2").astype(np.float32)),
    2: ("Q4_0", 32, 18, lambda b: _halves(b, 0) * (_nibbles(b, 2).astype(np.float32) - np.float32(8))),
    3: ("Q4_1", 32, 20, lambda b: _halves(b, 0) * _nibbles(b, 4).astype(np.float32) + _halves(b, 2)),
    8: ("Q8_0", 32, 34, lambda b: _halves(b, 0) * b[:, 2:].copy().view(np.int8).astype(np.float32)),
    30: ("BF16", 1, 2, _bf16),
}


class GgufFile:
    """metadata: dict; tensors: name -> (shape with the row length last, ggml type, offset)."""

    def __init__(self, path):
        self.path = path
        self.bytes = np.memmap(path, dtype=np.uint8, mode="r")
        self._at = 0
        magic, version, n_tensors, n_pairs = self._take("<4sIQQ")
        if magic != b"GGUF" or version not in (2, 3):
            raise ValueError(f"{path}: expected GGUF version 2 or 3, found {magic!r} {version}")
        self.metadata = {}
        for _ in range(n_pairs):
            key = self._string()
            self.metadata[key] = self._value(self._take("<I")[0])
        self.tensors = {}
        for _ in range(n_tensors):
            name = self._string()
            shape = self._take(f"<{self._take('<I')[0]}Q")[::-1]
            self.tensors[name] = (shape, *self._take("<IQ"))
        align = self.metadata.get("general.alignment", 32)
        self.data = (self._at + align - 1) // align * align

    def _take(self, layout):
        values = struct.unpack_from(layout, self.bytes, self._at)
        self._at += struct.calcsize(layout)
        return values

    def _string(self):
        length = self._take("<Q")[0]
        text = bytes(self.bytes[self._at:self._at + length])
        self._at += length
        return text.decode("utf-8", "replace")

    def _value(self, kind):
        if kind == STRING:
            return self._string()
        if kind == ARRAY:
            item, count = self._take("<IQ")
            return [self._value(item) for _ in range(count)]
        return self._take("<" + SCALARS[kind])[0]

    def tensor(self, name):
        """The tensor `name`, widened to F32, as a new array of its shape."""
        shape, kind, offset = self.tensors[name]
        if kind not in KINDS:
            raise ValueError(f"{self.path}: {name}: ggml type {kind} is not one of {[k[0] for k in KINDS.values()]}")
        _, values, size, widen = KINDS[kind]
        count = int(np.prod(shape)) // values * size
        start = self.data + offset
        return np.array(widen(np.array(self.bytes[start:start + count]).reshape(-1, size))).reshape(shape)
