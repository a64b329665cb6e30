"""A Llama checkpoint as numpy arrays, whatever file it lies in: Hugging Face's tensor names and row order, F32.

`open_checkpoint` takes a GGUF file, or a folder with config.json and model.safetensors.
"""
import json
import os

import numpy as np

from gguf_file import GgufFile
from safetensors_file import SafetensorsFile

GGUF_LAYER = {
    "input_layernorm": "attn_norm", "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down",
}


def gguf_name(name):
    """model.layers.3.mlp.up_proj.weight -> blk.3.ffn_up.weight"""
    if name == "model.embed_tokens.weight":
        return "token_embd.weight"
    if name == "model.norm.weight":
        return "output_norm.weight"
    _, _, layer, rest = name.split(".", 3)
    return f"blk.{layer}.{GGUF_LAYER[rest.removesuffix('.weight')]}.weight"


def straight_rows(matrix, heads):
    """Undo GGUF's permutation of Q and K: rows of a head lie there as pairs (i, i + half) side by side."""
    rows, width = matrix.shape
    return matrix.reshape(heads, rows // heads // 2, 2, width).swapaxes(1, 2).reshape(rows, width)


def paired_rows(matrix, heads):
    """The inverse of straight_rows: the row order that llama.cpp's rotation expects."""
    rows, width = matrix.shape
    return matrix.reshape(heads, 2, rows // heads // 2, width).swapaxes(1, 2).reshape(rows, width)


def shortest(value):
    """The decimal number that config.json would give for an F32 of the GGUF: 1e-05, not 9.99999974e-06."""
    return float(str(np.float32(value)))


class GgufCheckpoint:
    def __init__(self, path):
        self.file = GgufFile(path)
        get = lambda key: self.file.metadata["llama." + key]
        self.config = dict(
            hidden_size=get("embedding_length"), intermediate_size=get("feed_forward_length"),
            num_attention_heads=get("attention.head_count"), num_key_value_heads=get("attention.head_count_kv"),
            num_hidden_layers=get("block_count"), rms_norm_eps=shortest(get("attention.layer_norm_rms_epsilon")),
            rope_theta=get("rope.freq_base"), max_position_embeddings=get("context_length"),
            vocab_size=self.file.tensors["token_embd.weight"][0][0])

    def tensor(self, name):
        matrix = self.file.tensor(gguf_name(name))
        for part, heads in (("q_proj", "num_attention_heads"), ("k_proj", "num_key_value_heads")):
            if part in name:
                return straight_rows(matrix, self.config[heads])
        return matrix


class FolderCheckpoint:
    def __init__(self, folder):
        with open(os.path.join(folder, "config.json"), encoding="utf-8") as file:
            self.config = json.load(file)
        self.file = SafetensorsFile(os.path.join(folder, "model.safetensors"))

    def tensor(self, name):
        return self.file.tensor(name).astype(np.float32)


def open_checkpoint(path):
    return FolderCheckpoint(path) if os.path.isdir(path) else GgufCheckpoint(path)


def tensor_names(config):
    """Every tensor of a Llama with a tied embedding, in Hugging Face's names."""
    yield "model.embed_tokens.weight"
    for layer in range(config["num_hidden_layers"]):
        for part in GGUF_LAYER:
            yield f"model.layers.{layer}.{part}.weight"
    yield "model.norm.weight"
