"""Reads and writes safetensors files (an 8-byte length, a JSON header, the values). numpy only."""
import json
import struct

import numpy as np

DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "U8": "u1"}


class SafetensorsFile:
    """header: name -> {dtype, shape, data_offsets}, as in the file, without __metadata__."""

    def __init__(self, path):
        self.path = path
        self.bytes = np.memmap(path, dtype=np.uint8, mode="r")
        length = struct.unpack_from("<Q", self.bytes)[0]
        self.header = json.loads(bytes(self.bytes[8:8 + length]))
        self.metadata = self.header.pop("__metadata__", {})
        self.data = 8 + length

    def __contains__(self, name):
        return name in self.header

    def keys(self):
        return self.header.keys()

    def tensor(self, name):
        """The tensor `name` in its own type; BF16 is widened to F32."""
        entry = self.header[name]
        begin, end = (self.data + o for o in entry["data_offsets"])
        values = np.array(self.bytes[begin:end]).view(DTYPES[entry["dtype"]])
        if entry["dtype"] == "BF16":
            values = (values.astype(np.uint32) << 16).view(np.float32)
        return values.reshape(entry["shape"])


def write(path, tensors, metadata=None):
    """Writes name -> array (F64, F32, I64, I32, U8) to `path`, in the dict's order."""
    names = {np.dtype(code): name for name, code in DTYPES.items() if name not in ("BF16",)}
    header, offset, arrays = {}, 0, []
    if metadata:
        header["__metadata__"] = metadata
    for name, array in tensors.items():
        array = np.ascontiguousarray(array)
        end = offset + array.nbytes
        header[name] = dict(dtype=names[array.dtype], shape=list(array.shape), data_offsets=[offset, end])
        offset = end
        arrays.append(array)
    head = json.dumps(header, separators=(",", ":")).encode()
    head += b" " * (-len(head) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        for array in arrays:
            file.write(array.tobytes())
