"""The engines of bench/compare behind one interface: seconds of a prefill, seconds of a decode, load time, memory.

Every engine is a process of its own that stays, loaded, and answers lines (worker.cpp, python_worker.py,
candle/src/main.rs). Only the time from start to first token is that of lawful's own program, started anew.
"""
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "reference"))
from peak_memory import peak_kib


class Worker:
    """A loaded process that answers lines."""

    def __init__(self, name, command, environment=None):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, **(environment or {})}, stderr=subprocess.DEVNULL)
        ready = self.process.stdout.readline().split()
        if not ready or ready[0] != "ready":
            raise RuntimeError(f"{name}: {' '.join(command)} did not start")
        self.load_s, self.base_kib = float(ready[1]), int(ready[2]) if len(ready) > 2 else 0

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.name}: ended at `{line}`")
        return float(answer)

    def start_to_first_token(self):
        return self.load_s + self.ask("prefill 5")

    def prefill(self, count):
        return self.ask(f"prefill {count}")

    def decode(self, past, count):
        return self.ask(f"decode {past} {count}")

    @property
    def peak_bytes(self):
        """The most the process held, less what Python and its libraries took before the model was loaded."""
        return (peak_kib(self.process.pid) - self.base_kib) * 1024

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def python_worker(name, kind, model, threads, context, cache="f32"):
    worker = os.path.join(HERE, "python_worker.py")
    command = [sys.executable, "-B", worker, kind, model, str(threads), str(context), cache]
    return Worker(name, command, {"OMP_NUM_THREADS": str(threads)})


def candle_worker(name, program, folder, threads):
    return Worker(name, [program, folder], {"RAYON_NUM_THREADS": str(threads)})


class Lawful(Worker):
    """Its worker for rates and memory, its program for the start."""

    def __init__(self, program, worker, model, name, threads, context):
        super().__init__(name, [worker, model, str(threads), str(context)])
        self.command = [program, "generate", "-m", model, "-t", str(threads), "-n", "1", "--ignore-eos", "--ids", "1,2,3,4,5"]

    def start_to_first_token(self):
        begun = time.perf_counter()
        subprocess.run(self.command, stdout=subprocess.DEVNULL, check=True)
        return time.perf_counter() - begun
