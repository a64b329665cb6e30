"""transformers: LlamaForCausalLM in F32 with eager attention, on weights of any checkpoint of this project."""
import torch
from transformers import LlamaConfig, LlamaForCausalLM

from checkpoint import open_checkpoint, tensor_names


class Transformers:
    name = "transformers F32"

    def __init__(self, model, threads=None):
        if threads:
            torch.set_num_threads(threads)
        checkpoint = open_checkpoint(model)
        config = LlamaConfig(**{**checkpoint.config, "tie_word_embeddings": True})
        config._attn_implementation = "eager"
        with torch.device("meta"):
            self.model = LlamaForCausalLM(config)
        weights = {name: torch.from_numpy(checkpoint.tensor(name)) for name in tensor_names(config.to_dict())}
        weights["lm_head.weight"] = weights["model.embed_tokens.weight"]
        self.model.load_state_dict(weights, assign=True)
        self.model.model.rotary_emb = type(self.model.model.rotary_emb)(config)  # its frequencies are no weights
        self.model.eval()

    def logits(self, ids):
        """[tokens, vocab], F32."""
        with torch.no_grad():
            return self.model(torch.tensor([ids])).logits[0].numpy()

    def logits_at(self, ids, positions):
        """[positions, vocab], F32."""
        with torch.no_grad():
            return self.model(torch.tensor([ids]), logits_to_keep=torch.tensor(positions)).logits[0].numpy()

    def residuals(self, ids):
        """The residual stream after each layer but the last, whose norm transformers has applied: [tokens, width]."""
        with torch.no_grad():
            states = self.model.model(torch.tensor([ids]), output_hidden_states=True).hidden_states
        return [state[0].numpy() for state in states[1:-1]]
