"""The engines of bench/compare behind one interface: seconds of a prefill, seconds of a decode, load time, memory.

Every engine is a process of its own. lawful is run anew for each measurement and says itself how long the two phases
took (`generate --json`); the others stay, loaded, and answer lines (python_worker.py, candle/src/main.rs).
"""
import json
import os
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def made_up(count):
    return ",".join(str((7919 * i + 13) % 49152) for i in range(count))


class Lawful:
    def __init__(self, program, model, name, threads):
        self.command = [program, "generate", "-m", model, "-t", str(threads), "--ignore-eos", "--json"]
        self.name, self.model, self.peak_bytes = name, model, 0

    def generate(self, past, count):
        done = subprocess.run([*self.command, "-n", str(count), "--context", str(past + count), "--ids", made_up(past)],
                              capture_output=True, text=True, check=True)
        stats = json.loads(done.stdout)["stats"]
        self.peak_bytes = max(self.peak_bytes, stats["peak_rss_bytes"])
        return stats

    def start_to_first_token(self):
        begun = time.perf_counter()
        self.generate(5, 1)
        return time.perf_counter() - begun

    def prefill(self, count):
        return count / self.generate(count, 1)["prefill_tokens_per_s"]

    def decode(self, past, count):
        return self.generate(max(past, 1), count)["decode_ms_per_token"] * count / 1000

    def close(self):
        pass


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
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM:"))
        return (peak - self.base_kib) * 1024

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
