"""Oracle logits on disk, so that a comparison can be repeated without the float64 passes."""
import hashlib
import os

import numpy as np

from oracle import Oracle


class OracleCache:
    """Files are named after the model's and the ids' contents; `name` is only for people."""

    def __init__(self, folder, name, model):
        os.makedirs(folder, exist_ok=True)
        self.model, self.stem, self.oracle = model, os.path.join(folder, f"{name}-{fingerprint(model)}"), None

    def path(self, ids):
        return f"{self.stem}-{hashlib.sha256(str(list(ids)).encode()).hexdigest()[:12]}.npy"

    def make(self, prompts):
        """Computes what is missing, all prompts in one walk through the weights."""
        missing = [ids for ids in prompts if not os.path.exists(self.path(ids))]
        if missing:
            self.oracle = self.oracle or Oracle(self.model)
            for ids, (logits, _) in zip(missing, self.oracle.forward_each(missing)):
                self.save(self.path(ids), logits)

    @staticmethod
    def save(path, logits):
        with open(path + ".part", "wb") as file:
            np.save(file, logits)
        os.replace(path + ".part", path)

    def logits(self, ids):
        """[tokens, vocab], float64."""
        self.make([ids])
        return np.load(self.path(ids))

    def logits_at(self, ids, positions):
        """[positions, vocab]: for a text so long that its logits are not all wanted."""
        path = self.path([*ids, "at", *positions])
        if not os.path.exists(path):
            self.oracle = self.oracle or Oracle(self.model)
            self.save(path, next(self.oracle.forward_each([ids], positions=positions))[0])
        return np.load(path)


def fingerprint(model):
    """Of the weights file: its size, its head and its tail."""
    path = os.path.join(model, "model.safetensors") if os.path.isdir(model) else model
    with open(path, "rb") as file:
        head = file.read(1 << 20)
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - (1 << 20)))
        return hashlib.sha256(head + file.read() + str(size).encode()).hexdigest()[:12]
