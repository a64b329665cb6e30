"""Damaged copies of the default model, made from its header alone: the weights are left out (a hole in the file)."""
import pathlib
import struct

_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_STRING, _ARRAY = 8, 9


class Header:
    """The bytes of a GGUF file before its data, and where the strings that a test replaces stand in them."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.size = self.path.stat().st_size
        with open(path, "rb") as file:
            self.bytes = bytearray(file.read(32 << 20))
        self.at = 24
        self.values = {}
        self.tensors = {}
        tensor_count, pair_count = struct.unpack_from("<QQ", self.bytes, 8)
        for _ in range(pair_count):
            key = self._string()
            kind, = self._take("<I")
            self.values[key] = (self.at, kind)
            self._skip(kind)
        for _ in range(tensor_count):
            name_at = self.at + 8
            name = self._string()
            dimensions, = self._take("<I")
            self.tensors[name] = {"name": name_at, "dimensions": self.at, "type": self.at + 8 * dimensions,
                                  "offset": self.at + 8 * dimensions + 4}
            self.at += 8 * dimensions + 12
        self.end = self.at

    def _take(self, form):
        values = struct.unpack_from(form, self.bytes, self.at)
        self.at += struct.calcsize(form)
        return values

    def _string(self):
        length, = self._take("<Q")
        self.at += length
        return self.bytes[self.at - length:self.at].decode()

    def _skip(self, kind):
        if kind == _STRING:
            self._string()
        elif kind == _ARRAY:
            inner, count = self._take("<IQ")
            if inner == _STRING:
                for _ in range(count):
                    self._string()
            else:
                self.at += _SIZES[inner] * count
        else:
            self.at += _SIZES[kind]

    def write(self, target, changes=(), size=None):
        """The header with `changes` (offset, bytes) laid over it, and a hole up to `size` bytes."""
        content = bytearray(self.bytes[:self.end])
        for offset, replacement in changes:
            content[offset:offset + len(replacement)] = replacement
        size = self.size if size is None else size
        with open(target, "wb") as file:
            file.write(content[:size])
            file.truncate(size)
        return str(target)
