"""llama.cpp through llama-cpp-python: on a GGUF made from the same weights, with an F32 cache."""
import os

import gguf
import llama_cpp
import numpy as np

from checkpoint import gguf_name, open_checkpoint, paired_rows, tensor_names


def as_bf16(matrix):
    """F32 values that BF16 holds exactly, as BF16 bytes."""
    bits = matrix.view(np.uint32)
    if (bits & 0xFFFF).any():
        raise ValueError("the weights are not BF16 values")
    return (bits >> 16).astype(np.uint16)


def write_gguf(model, path, kind="f32"):
    """The checkpoint `model` with its matrices in F32 or, bit for bit, BF16, and without a tokenizer: prompts are given
    as ids."""
    checkpoint = open_checkpoint(model)
    c = checkpoint.config
    writer = gguf.GGUFWriter(path + ".making", "llama")
    writer.add_context_length(c["max_position_embeddings"])
    writer.add_embedding_length(c["hidden_size"])
    writer.add_feed_forward_length(c["intermediate_size"])
    writer.add_block_count(c["num_hidden_layers"])
    writer.add_head_count(c["num_attention_heads"])
    writer.add_head_count_kv(c["num_key_value_heads"])
    writer.add_layer_norm_rms_eps(c["rms_norm_eps"])
    writer.add_rope_freq_base(c["rope_theta"])
    writer.add_rope_dimension_count(c["hidden_size"] // c["num_attention_heads"])
    writer.add_vocab_size(c["vocab_size"])
    writer.add_tokenizer_model("no_vocab")
    for name in tensor_names(c):
        matrix = checkpoint.tensor(name)
        for part, heads in (("q_proj", "num_attention_heads"), ("k_proj", "num_key_value_heads")):
            if part in name:
                matrix = paired_rows(matrix, c[heads])
        matrix = np.ascontiguousarray(matrix)
        if kind == "bf16" and matrix.ndim == 2:
            bf16 = as_bf16(matrix).view(np.uint8)
            writer.add_tensor(gguf_name(name), bf16, raw_dtype=gguf.GGMLQuantizationType.BF16)
        else:
            writer.add_tensor(gguf_name(name), matrix)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    os.replace(path + ".making", path)


class LlamaCpp:
    def __init__(self, gguf_path, threads, context=1024):
        self.name = self.name_for(threads)
        f32 = llama_cpp.GGML_TYPE_F32
        self.llama = llama_cpp.Llama(gguf_path, n_ctx=context, n_batch=512, n_threads=threads, n_threads_batch=threads,
                                     logits_all=True, type_k=f32, type_v=f32, verbose=False)

    @staticmethod
    def name_for(threads):
        return f"llama.cpp F32, {threads} thread{'s' if threads > 1 else ''}"

    def logits(self, ids):
        """[tokens, vocab], F32."""
        self.llama.reset()
        self.llama.eval(ids)
        return np.array(self.llama.scores[:len(ids)], np.float32)
