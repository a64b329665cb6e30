#!/usr/bin/env python3
"""transformers or llama.cpp as a worker for bench/compare.

    python3 python_worker.py {transformers,llama.cpp} MODEL THREADS CONTEXT {f32,f16}

The last word is the type of llama.cpp's cache. One line `ready SECONDS BASE_KIB` once the model is loaded (the time of
loading alone, and what the process took before). Then it reads lines and answers each with one line of seconds:
    prefill N            a prompt of N tokens into an empty cache
    decode PAST N        N tokens, one at a time, after PAST cached ones
The token ids are of no matter: (7919 i + 13) mod 49152.
"""
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
sys.path.insert(0, os.path.join(sys.path[0], "engines"))
from peak_memory import peak_kib


def made_up(first, count):
    return [(7919 * i + 13) % 49152 for i in range(first, first + count)]


class LlamaCppWorker:
    def __init__(self, model, threads, context, cache):
        import llama_cpp
        kind = llama_cpp.GGML_TYPE_F32 if cache == "f32" else llama_cpp.GGML_TYPE_F16
        self.load = lambda: llama_cpp.Llama(model, n_ctx=context, n_batch=512, n_threads=threads,
                                            n_threads_batch=threads, type_k=kind, type_v=kind, verbose=False)

    def start(self):
        self.llama = self.load()

    def empty(self):
        self.llama.reset()

    def step(self, ids):
        self.llama.eval(ids)


class TransformersWorker:
    def __init__(self, model, threads, context, cache):
        import torch
        from transformers_f32 import Transformers
        self.torch, self.load = torch, lambda: Transformers(model, threads).model

    def start(self):
        self.model = self.load()

    def empty(self):
        self.past = None

    def step(self, ids):
        with self.torch.no_grad():
            out = self.model(self.torch.tensor([ids]), past_key_values=self.past, use_cache=True, logits_to_keep=1)
        self.past = out.past_key_values


def prefill(worker, count):
    worker.empty()
    begun = time.perf_counter()
    worker.step(made_up(0, count))
    return time.perf_counter() - begun


def decode(worker, past, count):
    worker.empty()
    if past > 0:
        worker.step(made_up(0, past))
    begun = time.perf_counter()
    for i in range(count):
        worker.step(made_up(past + i, 1))
    return time.perf_counter() - begun


def main():
    kind, model, threads, context, cache = sys.argv[1:]
    workers = {"llama.cpp": LlamaCppWorker, "transformers": TransformersWorker}
    worker = workers[kind](model, int(threads), int(context), cache)
    base = peak_kib()
    begun = time.perf_counter()
    worker.start()
    print("ready", time.perf_counter() - begun, base, flush=True)
    for line in sys.stdin:
        name, *numbers = line.split()
        print({"prefill": prefill, "decode": decode}[name](worker, *map(int, numbers)), flush=True)


main()
