"""Runs the `lawful` program and reads back what it wrote."""
import json
import os
import subprocess
import tempfile

from safetensors_file import SafetensorsFile


class Program:
    """Raises subprocess.CalledProcessError, with stderr's text, where the program fails."""

    def __init__(self, path, model, options=()):
        self.command, self.model = [path], ["-m", model, *options]

    def run(self, name, *arguments):
        done = subprocess.run([*self.command, name, *self.model, *arguments], capture_output=True, text=True)
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

    def trace(self, ids, layers):
        return self.tensors("trace", ids, "--layers", ",".join(map(str, layers)))

    def greedy(self, prompt, count):
        """The object that `generate --json` prints; the prompt goes in by stdin, so that any text can be one."""
        command = [*self.command, "generate", *self.model, "-n", str(count), "--ignore-eos", "--json", "-"]
        done = subprocess.run(command, input=prompt, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(f"generate {prompt[:40]!r}: exit {done.returncode}: {done.stderr.strip()[-300:]}")
        return json.loads(done.stdout)
