#!/usr/bin/env python3
"""Test: files that `lawful convert` writes, in the hands of others, and files of others in lawful's.

    python3 files_live.py PROGRAM      (in the environment of setup_environment)

From the default model: `convert` to every format and storage; the gguf and safetensors packages, tokenizers,
transformers and llama.cpp read what it wrote; then lawful reads what transformers' save_pretrained, the gguf package
and llama.cpp's quantizer wrote. Same weights, same bits: logits are compared with ==.
"""
import json
import os
import subprocess
import sys
import tempfile

import gguf
import llama_cpp
import numpy as np
import tokenizers
import torch
import transformers
from safetensors.numpy import load_file

from program import Program, default_model
from tally import Tally

HERE = os.path.dirname(os.path.abspath(__file__))
IDS = [504, 3575, 282, 4649, 314, 260, 253, 28, 284]
PROMPT, COMPLETION = "The capital of France is", " Paris."
# llama.cpp tells every tensor that it quantizes. The object must outlive the calls.
SILENCE = llama_cpp.llama_log_callback(lambda level, text, data: None)
llama_cpp.llama_log_set(SILENCE, None)


def dequantized(path):
    """{GGUF name: F32 array} by the gguf package."""
    tensors = gguf.GGUFReader(path).tensors
    return {t.name: gguf.dequantize(t.data, t.tensor_type).reshape(t.shape[::-1]) for t in tensors}


def half_split(rows, heads):
    """Q or K of a GGUF as Hugging Face has it: the inverse of the permutation in llama.cpp's convert_hf_to_gguf.py."""
    return rows.reshape(heads, rows.shape[0] // heads // 2, 2, -1).swapaxes(1, 2).reshape(rows.shape)


def same(a, b):
    return a.shape == b.shape and bool((a.view(np.uint32) == b.view(np.uint32)).all())


class Files:
    def __init__(self, program, folder):
        self.program, self.folder, self.tally = program, folder, Tally()
        self.model = default_model()
        self.values = dequantized(self.model)
        self.logits = Program(program, self.model).logits(IDS)

    def path(self, name):
        return os.path.join(self.folder, name)

    def convert(self, source, name, storage):
        done = subprocess.run([self.program, "convert", source, self.path(name), "--to", storage], capture_output=True,
                              text=True)
        self.tally.case(f"convert to {name} {storage}", done.returncode == 0 and not done.stdout, done.stderr)
        return self.path(name)

    def our_logits(self, name):
        return Program(self.program, self.path(name)).logits(IDS)

    def gguf_files(self):
        types = gguf.GGMLQuantizationType
        for storage, kind in (("f32", types.F32), ("f16", types.F16), ("bf16", types.BF16), ("q8_0", types.Q8_0)):
            path = self.convert(self.model, f"{storage}.gguf", storage)
            for tensor in gguf.GGUFReader(path).tensors:
                values = self.values[tensor.name]
                if values.ndim == 2:
                    expected = gguf.dequantize(gguf.quantize(values, kind), kind).reshape(values.shape)
                    self.tally.case(f"{storage}.gguf: {tensor.name}: type", tensor.tensor_type == kind)
                else:
                    expected = values
                found = gguf.dequantize(tensor.data, tensor.tensor_type).reshape(expected.shape)
                # The embedding is Q8_0 in the default model: to q8_0 its blocks are copied, not quantized anew.
                if storage == "q8_0" and tensor.name == "token_embd.weight":
                    expected = values
                self.tally.case(f"{storage}.gguf: {tensor.name}", same(found, expected))
            self.completion(path)
        self.tally.case("f32.gguf gives the bits of the default model", same(self.our_logits("f32.gguf"), self.logits))

    def completion(self, path):
        """llama.cpp's greedy text."""
        model = llama_cpp.Llama(path, n_ctx=64, verbose=False)
        text = model.create_completion(PROMPT, max_tokens=2, temperature=0.0)["choices"][0]["text"]
        self.tally.case(f"llama.cpp on {os.path.basename(path)}", text == COMPLETION, text)
        self.tally.case(f"llama.cpp ends {os.path.basename(path)} at 2", model.token_eos() == 2, model.token_eos())

    def folders(self):
        for storage in ("f32", "f16", "bf16"):
            path = self.convert(self.model, storage, storage)
            tensors = load_file(os.path.join(path, "model.safetensors")) if storage != "bf16" else {}
            for name, found in tensors.items():
                expected = self.hugging_face(name)
                rounded = expected if storage == "f32" else expected.astype(np.float16)
                self.tally.case(f"{storage}: {name}", bool((found == rounded).all()) and found.shape == rounded.shape)
        self.tally.case("the f32 folder gives the bits of the default model", same(self.our_logits("f32"), self.logits))
        self.tally.case("bf16 folder and GGUF give the same bits",
                        same(self.our_logits("bf16"), self.our_logits("bf16.gguf")))
        again = dequantized(self.convert(self.path("f32"), "again.gguf", "f32"))
        self.tally.case("GGUF, folder, GGUF: the same tensors", list(again) == list(self.values))
        for name, found in again.items():
            self.tally.case(f"GGUF, folder, GGUF: {name}", same(found, self.values[name]))

    def hugging_face(self, name):
        """The F32 values of a tensor of the default model by its Hugging Face name."""
        parts = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "q_proj": "attn_q",
                 "k_proj": "attn_k", "v_proj": "attn_v", "o_proj": "attn_output", "gate_proj": "ffn_gate",
                 "up_proj": "ffn_up", "down_proj": "ffn_down", "embed_tokens": "token_embd", "norm": "output_norm"}
        words = name.split(".")
        ours = parts[words[-2]] + ".weight"
        values = self.values[f"blk.{words[2]}.{ours}" if words[1] == "layers" else ours]
        heads = {"q_proj": 9, "k_proj": 3}.get(words[-2])
        return half_split(values, heads) if heads else values

    def tokenizer(self):
        made = tokenizers.Tokenizer.from_file(self.path("f32/tokenizer.json"))
        with open(os.path.join(HERE, "values", "tokenizer_cases.jsonl"), encoding="utf-8") as file:
            cases = [json.loads(line) for line in file]
        wrong = [case["text"] for case in cases
                 if made.encode(case["text"], add_special_tokens=False).ids != case["ids"]]
        self.tally.case("tokenizers on the tokenizer.json that was made", not wrong, wrong[:3])

    def transformers(self):
        model = transformers.AutoModelForCausalLM.from_pretrained(self.path("f32"), dtype=torch.float32)
        tokenizer = transformers.AutoTokenizer.from_pretrained(self.path("f32"))
        ids = tokenizer(PROMPT, return_tensors="pt", add_special_tokens=False).input_ids
        made = model.generate(ids, max_new_tokens=2, do_sample=False)[0, ids.shape[1]:]
        self.tally.case("transformers on the f32 folder", tokenizer.decode(made) == COMPLETION, tokenizer.decode(made))
        self.tally.case("transformers ends at 0 and 2", sorted(model.generation_config.eos_token_id) == [0, 2])
        with torch.no_grad():
            theirs = model(torch.tensor([IDS])).logits[0].numpy()
        error = np.abs(theirs - self.logits).max() / np.abs(self.logits).max()
        self.tally.case("transformers' logits on the f32 folder", error < 1e-5, error)
        for folder in ("saved", "shards", "saved16"):
            tokenizer.save_pretrained(self.path(folder))
        model.save_pretrained(self.path("saved"))
        self.tally.case("what save_pretrained wrote", same(self.our_logits("saved"), self.logits))
        model.save_pretrained(self.path("shards"), max_shard_size="100MB")
        self.tally.case("there are shards", os.path.exists(self.path("shards/model.safetensors.index.json")))
        self.tally.case("what save_pretrained wrote in shards", same(self.our_logits("shards"), self.logits))
        model.to(torch.bfloat16).save_pretrained(self.path("saved16"))
        self.tally.case("what save_pretrained wrote in bf16", same(self.our_logits("saved16"), self.our_logits("bf16")))

    def quantized(self):
        """llama.cpp's quantizer, each storage that lawful reads; K-quants fall back where rows are not 256 long."""
        for name in ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K_M", "Q6_K", "F16", "BF16"):
            options = llama_cpp.llama_model_quantize_default_params()
            options.ftype = getattr(llama_cpp, f"LLAMA_FTYPE_MOSTLY_{name}")
            path = self.path(f"{name}.gguf")
            status = llama_cpp.llama_model_quantize(self.path("f32.gguf").encode(), path.encode(), options)
            self.tally.case(f"llama.cpp quantizes to {name}", status == 0, status)
            report = self.inspect(path)
            values = {t.name: gguf.dequantize(t.data, t.tensor_type) for t in gguf.GGUFReader(path).tensors}
            for tensor, (_, theirs) in zip(report["tensors"], values.items()):
                ours = [np.float32(tensor["min"]), np.float32(tensor["max"])]
                self.tally.case(f"{name}: {tensor['name']}", ours == [theirs.min(), theirs.max()], ours)
            self.convert(path, f"{name}-f32.gguf", "f32")
            self.tally.case(f"{name}: the widened file gives the same bits",
                            same(self.our_logits(f"{name}.gguf"), self.our_logits(f"{name}-f32.gguf")))
            for written, theirs in dequantized(self.path(f"{name}-f32.gguf")).items():
                self.tally.case(f"{name}: {written} widened as the gguf package does",
                                same(theirs, values[written].reshape(theirs.shape)))
            os.remove(path)
            os.remove(self.path(f"{name}-f32.gguf"))

    def inspect(self, path):
        done = subprocess.run([self.program, "inspect", path, "--json"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        files = Files(sys.argv[1], folder)
        files.gguf_files()
        files.folders()
        files.tokenizer()
        files.transformers()
        files.quantized()
        files.tally.finish()


if __name__ == "__main__":
    main()
