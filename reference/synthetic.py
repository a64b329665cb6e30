#!/usr/bin/env python3
"""A synthetic checkpoint at a real shape in a folder that keeps it: made once, checked against its SHA-256.

    python3 synthetic.py {135m,360m,1.7b} FOLDER      prints the checkpoint's folder (269 MB, 724 MB, 3.4 GB)
"""
import hashlib
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VALUES = os.path.join(HERE, "values")
SHA256 = {"135m": "a4d723830a9bdbc5e33f3fcd72093dde8e474158e91c4f09c78015c55da97d96",
          "360m": "ab2fab9fe94225a06309f7b00fea58f096ea9caeefbbb61533584160ad5d8046",
          "1.7b": "97c664c066e2fc0d8145181dcd93d798473e3bf29d9a13f07b17e4cef8ed0728"}


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 22):
            digest.update(block)
    return digest.hexdigest()


def make(size, path):
    making = path + ".making"
    subprocess.run([sys.executable, "-B", os.path.join(HERE, "make_synthetic.py"), size, making], check=True)
    found = sha256(os.path.join(making, "model.safetensors"))
    if found != SHA256[size]:
        raise ValueError(f"synthetic {size}: expected SHA-256 {SHA256[size]}, made {found}")
    shutil.rmtree(path, ignore_errors=True)
    os.replace(making, path)


def checkpoint(size, folder):
    """The checkpoint's folder, with the tokenizer of the real model; made where it is absent or damaged."""
    path = os.path.join(folder, size)
    weights = os.path.join(path, "model.safetensors")
    if not (os.path.exists(weights) and sha256(weights) == SHA256[size]):
        make(size, path)
    shutil.copyfile(os.path.join(VALUES, "tokenizer.json"), os.path.join(path, "tokenizer.json"))
    return path


if __name__ == "__main__":
    print(checkpoint(*sys.argv[1:]))
