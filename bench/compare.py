#!/usr/bin/env python3
"""Runs lawful and the other engines in pairs on the same weights and writes docs/benchmarks.md. See bench/compare."""
import argparse
import json
import os
import statistics
import sys
import time

from compare_engines import HERE, Lawful, candle_worker, python_worker

sys.path.insert(0, os.path.join(HERE, "..", "reference"))
sys.path.insert(0, os.path.join(HERE, "..", "reference", "engines"))
import compare_report
import numpy as np
import speculation
import tokenizer_compare
from safetensors_file import SafetensorsFile, write

PREFILL, PAST, DECODE = 256, 16, 64  # tokens of a prompt; cached tokens before, and tokens of, a decode
CONTEXTS = (16, 500, 2000, 8000)     # cached tokens at which decoding is timed
ROUNDS = {"135m": 7, "360m": 5, "1.7b": 3}


def say(text):
    print(f"compare: {text}", file=sys.stderr, flush=True)


def f32_folder(bf16, folder):
    """The checkpoint `bf16` with every value widened to F32."""
    if not os.path.exists(os.path.join(folder, "config.json")):
        os.makedirs(folder, exist_ok=True)
        file = SafetensorsFile(os.path.join(bf16, "model.safetensors"))
        tensors = {name: file.tensor(name) for name in file.keys()}
        write(os.path.join(folder, "model.safetensors"), tensors, {"format": "pt"})
        for name in ("tokenizer.json", "config.json"):
            with open(os.path.join(bf16, name), encoding="utf-8") as source:
                text = source.read()
            with open(os.path.join(folder, name), "w", encoding="utf-8") as target:
                target.write(text)
    return folder


def gguf_file(model, path, kind):
    """The checkpoint `model` as a GGUF of `kind`."""
    if not os.path.exists(path):
        from llama_cpp_f32 import write_gguf
        write_gguf(model, path, kind)
    return path


PARAMETERS = {"135m": 134_515_008, "360m": 361_821_120, "1.7b": 1_711_376_384}
EMBEDDING = {"135m": 49152 * 576, "360m": 49152 * 960, "1.7b": 49152 * 2048}
VALUE_BYTES = {"F32": 4, "BF16": 2, "Q4_1": 20 / 32}


def work(size, engine):
    """Bytes of weights that the engine reads for a token, and operations of a prompt's and of a decoded token."""
    storage = engine.split()[1].rstrip(",")
    matrices = PARAMETERS[size] - EMBEDDING[size]
    embedding_bytes = EMBEDDING[size] * (34 / 32 if storage == "Q4_1" else VALUE_BYTES[storage])
    return dict(bytes=matrices * VALUE_BYTES[storage] + embedding_bytes, prefill_flops=2 * matrices,
                decode_flops=2 * PARAMETERS[size])


class Files:
    """Every form of one size's weights."""

    def __init__(self, size, folder, synthetic, default_model):
        self.bf16 = synthetic
        self.f32 = f32_folder(synthetic, os.path.join(folder, f"{size}-f32"))
        self.gguf_f32 = gguf_file(synthetic, os.path.join(folder, f"{size}-f32.gguf"), "f32")
        self.gguf_bf16 = gguf_file(synthetic, os.path.join(folder, f"{size}-bf16.gguf"), "bf16")
        self.q4_1 = default_model if size == "135m" else None


def pairs(size, files, a, context):
    """(how to start ours, how to start the other, what the other computes): what is measured side by side."""
    threads = a.threads
    ours = lambda name, path: lambda: Lawful(a.program, a.worker, path, name, threads, context)
    bf16, f32 = ours("lawful BF16", files.bf16), ours("lawful F32", files.f32)
    llama = lambda name, path, cache: lambda: python_worker(name, "llama.cpp", path, threads, context, cache)
    yield bf16, llama("llama.cpp F32", files.gguf_f32, "f32"), "F32"
    yield bf16, llama("llama.cpp BF16", files.gguf_bf16, "f16"), "bfloat16 products, activations rounded to BF16"
    yield f32, llama("llama.cpp F32", files.gguf_f32, "f32"), "F32"
    if files.q4_1:
        q4_1 = ours("lawful Q4_1", files.q4_1)
        eight_bits = "8-bit integer products, activations rounded to 8 bits"
        yield q4_1, llama("llama.cpp Q4_1", files.q4_1, "f16"), eight_bits
        yield q4_1, llama("llama.cpp F32", files.gguf_f32, "f32"), "F32"
    if a.candle:
        yield bf16, lambda: candle_worker("candle F32", a.candle, files.bf16, threads), "F32"
    yield bf16, lambda: python_worker("transformers F32", "transformers", files.f32, threads, context), "F32"


def measure_pair(ours, theirs, rounds):
    """Both engines in turn, the order changing from round to round; one round before them does not count."""
    rows = []
    for number in range(rounds + 1):
        row = {}
        for engine in ((ours, theirs) if number % 2 else (theirs, ours)):
            prefill, decode = engine.prefill(PREFILL), engine.decode(PAST, DECODE)
            row[engine is ours] = dict(prefill=PREFILL / prefill, decode=DECODE / decode)
        if number:
            rows.append(dict(ours=row[True], theirs=row[False]))
    return rows


def contexts(ours, theirs, rounds):
    """Decoded tokens a second at each number of cached positions: {name: [[past, rate], …]}."""
    out = {ours.name: [], theirs.name: []}
    for past in CONTEXTS:
        for engine in (ours, theirs):
            rates = [32 / engine.decode(past, 32) for _ in range(rounds)]
            out[engine.name].append([past, statistics.median(rates)])
    return out


def scaling(program_and_worker, model, rounds):
    """Prompt tokens a second on two threads over those on one."""
    one, two = (Lawful(*program_and_worker, model, f"lawful, {n} threads", n, PREFILL + 64) for n in (1, 2))
    ratios = [one.prefill(PREFILL) / two.prefill(PREFILL) for _ in range(rounds + 1)][1:]
    one.close(), two.close()
    return statistics.median(ratios)


def measure(size, files, a):
    result = dict(pairs=[], engines={}, threads=a.threads)
    context = max(PREFILL, PAST + DECODE) + 64
    for open_ours, open_theirs, computes in pairs(size, files, a, context):
        begun = time.perf_counter()
        ours, theirs = open_ours(), open_theirs()
        say(f"{size}: {ours.name} and {theirs.name} (loaded in {time.perf_counter() - begun:.1f} s)")
        for engine, what in ((theirs, computes), (ours, "F32")):
            start = statistics.median([engine.start_to_first_token() for _ in range(3)]) if engine is ours \
                else engine.start_to_first_token()
            result["engines"].setdefault(engine.name, dict(computes=what, start=start, **work(size, engine.name)))
        rows = measure_pair(ours, theirs, ROUNDS[size])
        for engine in (theirs, ours):
            result["engines"][engine.name].setdefault("peak_bytes", engine.peak_bytes)
            engine.close()
        result["pairs"].append(dict(ours=ours.name, theirs=theirs.name, rows=rows))
    result["scaling"] = scaling((a.program, a.worker), files.bf16, ROUNDS[size])
    if size == "135m":
        context = CONTEXTS[-1] + 64
        engines = (Lawful(a.program, a.worker, files.f32, "lawful F32", a.threads, context),
                   python_worker("llama.cpp F32", "llama.cpp", files.gguf_f32, a.threads, context))
        result["contexts"] = contexts(*engines, 2)
        for engine in engines:
            engine.close()
    return result


def machine_limits(program):
    """What `lawful bench --json` says about the machine, or nothing where it cannot."""
    import subprocess
    done = subprocess.run([program, "bench", "--json"], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--program", required=True)
    arguments.add_argument("--worker", required=True)
    arguments.add_argument("--candle", default="")
    arguments.add_argument("--default-model", required=True)
    arguments.add_argument("--cache", required=True)
    arguments.add_argument("--out", required=True)
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--tokenizer", metavar="BENCHMARK", help="measure the tokenizer too, by this program")
    arguments.add_argument("--speculation", action="store_true", help="measure guessing too")
    arguments.add_argument("sizes", nargs="*", metavar="SIZE=SYNTHETIC_FOLDER")
    a = arguments.parse_args()
    os.makedirs(a.cache, exist_ok=True)
    kept = a.out + ".json"
    results = json.load(open(kept, encoding="utf-8")) if os.path.exists(kept) else {}
    if not a.sizes and not any(size in results for size in compare_report.SIZES):
        sys.exit(f"compare: expected results of one of {', '.join(compare_report.SIZES)} to put these beside, found none")

    def keep(name, result):
        results[name] = dict(result, **compare_report.circumstances())
        with open(kept + ".part", "w", encoding="utf-8") as file:
            json.dump(results, file)
        os.replace(kept + ".part", kept)

    if a.tokenizer:
        say("tokenizers")
        keep("tokenizer", tokenizer_compare.measure(a.tokenizer, a.default_model, 5))
    if a.speculation:
        say("guesses")
        keep("speculation", dict(weights=speculation.measure_default(a.program, a.default_model, 5)))
    for size, synthetic in (text.split("=", 1) for text in a.sizes):
        result = measure(size, Files(size, a.cache, synthetic, a.default_model), a)
        keep(size, dict(result, limits=machine_limits(a.program)))
    compare_report.write(results, a.out, kept)


if __name__ == "__main__":
    main()
