"""Writes reference/values/chat_cases.jsonl: conversations and the ids that transformers' apply_chat_template gives them.

Each line: the template's name, messages, whether an answer is to follow, ids. The templates are the published texts: the
default model's GGUF holds the first, and the second is the same without a system message of its own. Contents hold no
special tokens, since transformers would parse them and lawful does not.

    python reference/make_chat_cases.py > reference/values/chat_cases.jsonl      (needs transformers)
"""
import json
import pathlib

from transformers import PreTrainedTokenizerFast

SYSTEM = ("{% if loop.first and messages[0]['role'] != 'system' %}{{ '<|im_start|>system\nYou are a helpful AI assistant "
          "named SmolLM, trained by Hugging Face<|im_end|>\n' }}{% endif %}")
TEMPLATE = ("{% for message in messages %}SYSTEM{{'<|im_start|>' + message['role'] + '\n' + message['content'] + "
            "'<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
TEMPLATES = {"smollm2": TEMPLATE.replace("SYSTEM", SYSTEM), "chatml": TEMPLATE.replace("SYSTEM", "")}
CONVERSATIONS = [
    [("user", "Hi")],
    [("user", "What is gravity?"), ("assistant", "A force."), ("user", "Say more.")],
    [("system", "You are terse."), ("user", "Hi")],
    [("system", ""), ("user", "Hi"), ("assistant", ""), ("user", "  ")],
    [("user", "\n\nBegins with newlines, ends with some\n\n")],
    [("user", "12 apples\n1. one\n2. two\t<not special> | im_end |>"), ("assistant", "\nassistant\n")],
    [("user", "Grüße, 你好, 😀 and 1½ \u0301"), ("assistant", "ok")],
    [("assistant", "I begin."), ("user", "user\n")],
]


def main():
    root = pathlib.Path(__file__).resolve().parents[1]
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(root / "reference" / "values" / "tokenizer.json"))
    for name, template in TEMPLATES.items():
        for conversation in CONVERSATIONS:
            messages = [{"role": role, "content": content} for role, content in conversation]
            for answer in (True, False):
                ids = tokenizer.apply_chat_template(messages, chat_template=template, add_generation_prompt=answer,
                                                    tokenize=True, return_dict=False)
                print(json.dumps({"template": name, "messages": messages, "answer": answer, "ids": ids}))


main()
