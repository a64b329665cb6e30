#!/usr/bin/env python3
"""How fast this tokenizer is beside `tokenizers` and llama.cpp: one thread each, the same texts, in turns.

    bench/tokenizer_compare.py BENCHMARK [--gguf MODEL.gguf] [--rounds N] [--least RATIO] [--load-within MS]

`bench/compare tokenizer` puts the same into docs/benchmarks.md. BENCHMARK is build/bench/tokenizer_benchmark. Texts, in
every Python: the standard library's sources (code) and the language reference that its help() shows (prose). Times are
the processor time of the thread that encodes, so that a neighbour on the machine disturbs less; each ratio is taken
within one round, and the median of the rounds is printed.
tokenizers 0.23 is needed; llama.cpp takes part if --gguf is given and llama_cpp is installed. Failures are, with --least,
less than that many times the speed of tokenizers on any text, and with --load-within, a longer time to load the
vocabulary out of tokenizer.json; the last line is then `N passed, N failed`.
"""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["TOKENIZERS_PARALLELISM"] = "false"
import tokenizers

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKENIZER_JSON = ROOT / "reference" / "values" / "tokenizer.json"
MOST_BYTES = 4 << 20
FOR_REFERENCE = 1 << 20  # bytes that a slow engine encodes in a round


def documents():
    """Lists of texts by name."""
    import pydoc_data.topics
    code, size = [], 0
    for path in sorted(pathlib.Path(os.__file__).parent.glob("*.py")):
        with contextlib.suppress(UnicodeDecodeError):
            code.append(path.read_bytes().decode("utf-8"))
            size += len(code[-1])
        if size > MOST_BYTES:
            break
    return {"code": code, "prose": list(pydoc_data.topics.topics.values())}


def bytes_of(texts):
    return sum(len(text.encode()) for text in texts)


def some_of(texts):
    """The first texts, of about FOR_REFERENCE bytes."""
    chosen, size = [], 0
    for text in texts:
        chosen.append(text)
        size += len(text.encode())
        if size > FOR_REFERENCE:
            break
    return chosen


class Lawful:
    name = "lawful"

    def __init__(self, program, texts, folder):
        self.program, self.files = program, []
        for name, list_of_texts in texts.items():
            path = folder / f"{name}.jsonl"
            path.write_text("".join(json.dumps(text) + "\n" for text in list_of_texts))
            self.files.append(f"{name}={path}")

    def run(self, *options):
        command = [self.program, TOKENIZER_JSON, *self.files, "--benchmark_format=json", *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        return json.loads(done.stdout)["benchmarks"]

    def speed(self, name, _texts):
        """MB/s of processor time, which is what the benchmark library counts bytes by."""
        row, = self.run(f"--benchmark_filter=^encode/{name}$")
        return row["bytes_per_second"] / 1e6

    def load_ms(self):
        row, = self.run("--benchmark_filter=^load$")
        return row["cpu_time"]

    def threads(self, name):
        """MB/s of wall time by number of threads, for texts encoded as one batch."""
        return {int(row["name"].split("/")[2]): row["bytes_per_second"] / 1e6
                for row in self.run(f"--benchmark_filter=^batch/{name}/")}


def speed_of(encode, texts):
    begin = time.thread_time()
    encode(texts)
    return bytes_of(texts) / (time.thread_time() - begin) / 1e6


class Tokenizers:
    name = "tokenizers"

    def __init__(self):
        self.tokenizer = tokenizers.Tokenizer.from_file(str(TOKENIZER_JSON))

    def speed(self, _name, texts):
        return speed_of(lambda some: self.tokenizer.encode_batch_fast(some, add_special_tokens=False), some_of(texts))


class LlamaCpp:
    name = "llama.cpp"

    def __init__(self, gguf):
        import llama_cpp
        self.model = llama_cpp.Llama(model_path=gguf, vocab_only=True, verbose=False)

    def speed(self, _name, texts):
        some = some_of(texts)
        encoded = [text.encode() for text in some]
        return speed_of(lambda _: [self.model.tokenize(text, add_bos=False, special=True) for text in encoded], some)


def measure(benchmark, gguf, rounds):
    """{speeds: {text: {engine: [MB/s of each round]}}, load_ms, threads: {text: {threads: MB/s}}}."""
    texts = documents()
    with tempfile.TemporaryDirectory() as folder:
        engines = [Lawful(benchmark, texts, pathlib.Path(folder)), Tokenizers()]
        if gguf:
            engines.append(LlamaCpp(gguf))
        speeds = {kind: {engine.name: [] for engine in engines} for kind in texts}
        for _ in range(rounds):
            for kind, list_of_texts in texts.items():
                for engine in engines:
                    speeds[kind][engine.name].append(engine.speed(kind, list_of_texts))
        load = statistics.median(engines[0].load_ms() for _ in range(rounds))
        return {"speeds": speeds, "load_ms": load, "threads": {kind: engines[0].threads(kind) for kind in texts}}


def ratios(row, name):
    """lawful's speed over that engine's in each round, the smallest first."""
    return sorted(a / b for a, b in zip(row["lawful"], row[name]))


def table(result):
    lines = ["| text | engine | MB/s | times slower than lawful (smallest to largest) |", "|---|---|---|---|"]
    for kind, row in result["speeds"].items():
        for name, speeds in row.items():
            all_ratios = ratios(row, name)
            spread = f"{statistics.median(all_ratios):.1f} ({all_ratios[0]:.1f} to {all_ratios[-1]:.1f})"
            lines.append(f"| {kind} | {name} | {statistics.median(speeds):.1f} | {'' if name == 'lawful' else spread} |")
    batch = "; ".join(kind + " " + ", ".join(f"{speed / by_threads[min(by_threads, key=int)]:.2f} on {threads}"
                                             for threads, speed in by_threads.items() if int(threads) > 1)
                      for kind, by_threads in result["threads"].items())
    lines += ["", f"The vocabulary out of tokenizer.json is loaded in {result['load_ms']:.1f} ms. A batch over threads, times as "
              f"fast as on one: {batch}."]
    return "\n".join(lines)


def plot(result, path):
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(7, 2.6))
    names = list(next(iter(result["speeds"].values())))
    for i, (kind, row) in enumerate(result["speeds"].items()):
        medians = [statistics.median(row[name]) for name in names]
        bars = axes.barh([j + 0.4 * i for j in range(len(names))], medians, 0.38, label=kind)
        axes.bar_label(bars, fmt="%.1f", padding=3)
    axes.set_yticks([j + 0.2 for j in range(len(names))], names)
    axes.set_xscale("log")
    axes.set_xlabel("MB/s on one thread (logarithmic)")
    axes.legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmark")
    parser.add_argument("--gguf")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--least", type=float)
    parser.add_argument("--load-within", type=float, metavar="MS")
    options = parser.parse_args()
    result = measure(options.benchmark, options.gguf, options.rounds)
    print(table(result))
    checks = []  # [(holds, what is said where it does not)]
    if options.least is not None:
        for kind, row in result["speeds"].items():
            ratio = statistics.median(ratios(row, "tokenizers"))
            checks.append((ratio >= options.least, f"{kind}: expected at least {options.least:g} times the speed of "
                           f"tokenizers, found {ratio:.1f}"))
    if options.load_within is not None:
        checks.append((result["load_ms"] <= options.load_within, f"loading the vocabulary: expected at most "
                       f"{options.load_within:g} ms, found {result['load_ms']:.1f}"))
    failures = [message for holds, message in checks if not holds]
    for message in failures:
        print(message)
    if checks:
        print(f"{len(checks) - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
