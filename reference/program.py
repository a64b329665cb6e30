"""Runs the `lawful` program and reads back what it wrote."""
import json
import os
import subprocess
import tempfile

from safetensors_file import SafetensorsFile


def default_model():
    """LAWFUL_MODEL, or where ./lawful keeps the default model."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.environ.get("LAWFUL_MODEL") or os.path.join(cache, "lawful", "SmolLM2-135M-Instruct.Q4_1.gguf")


class Program:
    """Raises RuntimeError, with what the program said, where it fails."""

    def __init__(self, path, model, options=()):
        self.command, self.model = [path], ["-m", model, *options]

    def run(self, name, *arguments, text=None):
        command = [*self.command, name, *self.model, *arguments]
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(done.args)[:300]}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
        return done.stdout

    def tensors(self, name, ids, *arguments):
        """{name: array} of the file that `logits` or `trace` writes for these ids."""
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.safetensors")
            self.run(name, "--ids", ",".join(map(str, ids)), *arguments, "-o", out)
            file = SafetensorsFile(out)
            return {key: file.tensor(key) for key in file.keys()}

    def logits(self, ids):
        return self.tensors("logits", ids)["logits"]

    def logits_at(self, ids, positions):
        return self.logits(ids)[positions]

    def trace(self, ids, layers):
        return self.tensors("trace", ids, "--layers", ",".join(map(str, layers)))

    def generate(self, count, prompt=None, ids=None):
        """The object that `generate --json` prints. A text goes in by stdin, so that any can be one."""
        source = ["-"] if ids is None else ["--ids", ",".join(map(str, ids))]
        return json.loads(self.run("generate", "-n", str(count), "--ignore-eos", "--json", *source, text=prompt))

    def greedy(self, ids, count):
        """`count` greedy ids after `ids`, stop ids ignored."""
        return self.generate(count, ids=ids)["ids"]
