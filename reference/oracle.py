#!/usr/bin/env python3
"""Float64 oracle: the Llama forward pass, term by term as the papers have it. numpy only.

    python3 oracle.py MODEL 504,3575,282 OUT.safetensors [--layers 0,15]

MODEL is a GGUF file or a folder with config.json and model.safetensors. Parameters are taken as stored (widened to
F32) and RoPE's inverse frequencies and angles as transformers publishes them (F32); all else is float64.
Writes "logits" [tokens, vocab] and, for each layer asked for, layer.L.NAME [tokens, width]:
n1 first norm; q, k, v projections; qr, kr after RoPE; attn attention output before o_proj; a after the first
residual; n2 second norm; m silu(gate)*up; y after the second residual.
"""
import argparse
import math

import numpy as np

from checkpoint import open_checkpoint
from safetensors_file import write

VOCABULARY_SLICE = 8192  # rows of the output matrix widened at a time
QUERY_SLICE = 512        # queries whose scores are held at a time


PARTS = ["input_layernorm", "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj",
         "post_attention_layernorm", "mlp.gate_proj", "mlp.up_proj", "mlp.down_proj"]


class Oracle:
    def __init__(self, model):
        self.checkpoint = open_checkpoint(model)
        self.c = c = self.checkpoint.config
        self.heads, self.kv = c["num_attention_heads"], c["num_key_value_heads"]
        self.head = c["hidden_size"] // self.heads
        self.embed = self.checkpoint.tensor("model.embed_tokens.weight")
        self.inverse = inverse_frequencies(c["rope_theta"], self.head)

    def w(self, name):
        return self.checkpoint.tensor(name).astype(np.float64)

    def norm(self, x, weight):
        return weight * (x / np.sqrt((x * x).mean(-1, keepdims=True) + self.c["rms_norm_eps"]))

    def rope(self, x, cos, sin):
        a, b = x[..., : self.head // 2], x[..., self.head // 2:]
        return np.concatenate([a * cos - b * sin, b * cos + a * sin], -1)

    def attention(self, qr, kr, v):
        """Causal, grouped: query head h reads key/value head h // group. [tokens, heads * head]"""
        n, group = len(qr), self.heads // self.kv
        out = np.empty_like(qr)
        for start in range(0, n, QUERY_SLICE):
            stop = min(n, start + QUERY_SLICE)
            future = np.triu(np.full((stop - start, stop), -np.inf), 1 + start)
            for h in range(self.heads):
                score = qr[start:stop, h] @ kr[:stop, h // group].T / math.sqrt(self.head) + future
                weight = np.exp(score - score.max(-1, keepdims=True))
                out[start:stop, h] = weight / weight.sum(-1, keepdims=True) @ v[:stop, h // group]
        return out.reshape(n, -1)

    def layer(self, weights, x, cos, sin):
        """One layer's intermediates by name, each [tokens, width]; y is the next layer's input."""
        w, n = weights.__getitem__, len(x)
        n1 = self.norm(x, w("input_layernorm"))
        q = (n1 @ w("self_attn.q_proj").T).reshape(n, self.heads, self.head)
        k = (n1 @ w("self_attn.k_proj").T).reshape(n, self.kv, self.head)
        v = (n1 @ w("self_attn.v_proj").T).reshape(n, self.kv, self.head)
        qr, kr = self.rope(q, cos, sin), self.rope(k, cos, sin)
        attn = self.attention(qr, kr, v)
        a = x + attn @ w("self_attn.o_proj").T
        n2 = self.norm(a, w("post_attention_layernorm"))
        gate = n2 @ w("mlp.gate_proj").T
        m = gate / (1 + np.exp(-gate)) * (n2 @ w("mlp.up_proj").T)
        y = a + m @ w("mlp.down_proj").T
        named = dict(n1=n1, q=q, k=k, v=v, qr=qr, kr=kr, attn=attn, a=a, n2=n2, m=m, y=y)
        return {name: t.reshape(n, -1) for name, t in named.items()}

    def residual_streams(self, prompts, layers, kept):
        """The input of the final norm for every prompt. Layer by layer, so that each weight is widened only once."""
        streams = [self.embed[list(ids)].astype(np.float64) for ids in prompts]
        rotations = []
        for ids in prompts:
            angle = (np.arange(len(ids), dtype=np.float32)[:, None] * self.inverse[None]).astype(np.float64)
            rotations.append((np.cos(angle)[:, None], np.sin(angle)[:, None]))
        for number in range(self.c["num_hidden_layers"]):
            weights = {part: self.w(f"model.layers.{number}.{part}.weight") for part in PARTS}
            for prompt, (cos, sin) in enumerate(rotations):
                values = self.layer(weights, streams[prompt], cos, sin)
                streams[prompt] = values["y"]
                if number in layers:
                    kept[prompt].update({f"layer.{number}.{name}": t for name, t in values.items()})
        return streams

    def output(self, x):
        """Logits of the residual stream x, the vocabulary a slice at a time."""
        x = self.norm(x, self.w("model.norm.weight"))
        slices = range(0, len(self.embed), VOCABULARY_SLICE)
        return np.concatenate([x @ self.embed[i:i + VOCABULARY_SLICE].astype(np.float64).T for i in slices], -1)

    def forward_each(self, prompts, layers=(), positions=slice(None)):
        """Yields (logits [positions, vocab], {"layer.L.NAME": values}) for every prompt in turn, float64."""
        kept = [{} for _ in prompts]
        streams = self.residual_streams(prompts, layers, kept)
        for x, values in zip(streams, kept):
            yield self.output(x[positions]), values

    def forward(self, ids, layers=()):
        """(logits, intermediate values) of one prompt."""
        return next(self.forward_each([ids], layers))


def inverse_frequencies(theta, head):
    """1 / float(theta^(2i/head)), i < head/2: the power rounded once to F32, then the F32 reciprocal."""
    exponent = np.arange(0, head, 2).astype(np.float32) / np.float32(head)
    return np.float32(1) / np.power(np.float64(theta), exponent.astype(np.float64)).astype(np.float32)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("model")
    arguments.add_argument("ids")
    arguments.add_argument("out")
    arguments.add_argument("--layers", default="")
    arguments = arguments.parse_args()
    numbers = lambda text: [int(i) for i in text.split(",") if i]
    logits, kept = Oracle(arguments.model).forward(numbers(arguments.ids), numbers(arguments.layers))
    write(arguments.out, {"logits": logits, **kept})


if __name__ == "__main__":
    main()
