#!/usr/bin/env python3
"""Compares this tokenizer with the `tokenizers` library (pip install tokenizers), string by string.

    reference/tokenizer_live.py PROGRAM [--random N] [--seed N] [--no-scalars] [--files PATH…] [--sample N FILE]

PROGRAM is build/props/tokenizer/tokenize_jsonl. Strings: every Unicode scalar value in each of CONTEXTS, and N random
strings (1,000,000 unless told) of the kinds below, each with special tokens parsed and as plain text; the words of
every locale that Debian has, in 28 scripts (script_texts.py); and files, each as one string: those of --files, or the
project's own and the sources of those locales. --sample writes N of the random strings and N of the scalar ones with
the library's ids to FILE, in the form of reference/values/tokenizer_cases.jsonl.
Prints the first differences; exits 1 if there is any. The last line is `N passed, N failed`.
"""
import argparse
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import script_texts
import tokenizers

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOKENIZER_JSON = ROOT / "reference" / "values" / "tokenizer.json"
CHUNK = 50_000

CONTEXTS = {
    "alone": "{0}",
    "between letters": "a{0}b",
    "after a space": " {0}",
    "before a space": "{0} ",
    "tripled": "{0}{0}{0}",
    "between digits": "1{0}2",
    "between punctuation": "!{0}?",
    "after an apostrophe": "'{0}s",
    "after two spaces, before a letter": "  {0}x",
    "between spaces, tripled": "a {0}  {0} {0}",
}


def scalar_values():
    return itertools.chain(range(0xD800), range(0xE000, 0x110000))


def scalar_strings():
    for context in CONTEXTS.values():
        for c in scalar_values():
            yield context.format(chr(c))


class RandomStrings:
    """Strings of mixed kinds: a few parts, each of a kind of its own."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        model = json.loads(TOKENIZER_JSON.read_text(encoding="utf-8"))
        self.tokens = [token.replace("\u0120", " ").replace("\u010a", "\n")
                       for token in model["model"]["vocab"] if token.isprintable()]
        self.specials = [t["content"] for t in model["added_tokens"]]
        self.blocks = [(0x20, 0x7F), (0, 0x20), (0x80, 0x250), (0x300, 0x370), (0x370, 0x530), (0x590, 0x700),
                       (0x900, 0xE00), (0xE00, 0x1000), (0x10A0, 0x1200), (0x1E00, 0x2000), (0x2000, 0x2070),
                       (0x2070, 0x2200), (0x2460, 0x2500), (0x3000, 0x3100), (0x4E00, 0xA000), (0xAC00, 0xD7A4),
                       (0xF900, 0xFB00), (0xFE00, 0xFE10), (0xFF00, 0xFFF0), (0x10000, 0x11000), (0x11000, 0x12000),
                       (0x16B40, 0x16B60), (0x16FF0, 0x17000), (0x1D400, 0x1D800), (0x1F300, 0x1FB00),
                       (0x20000, 0x31350), (0xE0000, 0xE01F0)]
        self.kinds = [self.words, self.spaces, self.contractions, self.digits, self.punctuation, self.block,
                      self.any_scalar, self.vocabulary, self.special, self.broken_special, self.repeat, self.tokenless,
                      self.emoji, self.ascii_noise, self.one_word]

    def scalar(self, low=0, high=0x110000):
        while True:
            c = self.random.randrange(low, high)
            if not 0xD800 <= c < 0xE000:
                return chr(c)

    def some(self, make, most=6):
        return "".join(make() for _ in range(self.random.randint(1, most)))

    def pick(self, choices):
        return self.random.choice(choices)

    def words(self):
        return self.some(lambda: self.pick(["", " ", "  "]) + self.some(lambda: self.pick("etaoinshrdluETAOIN"), 9))

    def spaces(self):
        return self.some(lambda: self.pick([" ", " ", " ", "\n", "\t", "\r\n", "\r", "\u00a0", "\u3000", "\u0085",
                                            "\u2028", "\u200b", "\v"]), 8)

    def contractions(self):
        return self.some(lambda: self.pick(["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'LL", "'l", "'r", "''",
                                            " '", "I", "he", "\u2019s", "'"]))

    def digits(self):
        return self.some(lambda: self.pick(["0", "7", "12", "\u00bd", "\u00b2", "\u0663", "\u4e00", "\u2167",
                                            "\U0001d7d8", "\U00016ff4", "\U00011de0", " ", ".", ","]))

    def punctuation(self):
        return self.some(lambda: self.pick("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ \u00b7\u2014\u201c\u20ac"), 10)

    def block(self):
        low, high = self.pick(self.blocks)
        return self.some(lambda: self.scalar(low, high), 12)

    def any_scalar(self):
        return self.some(self.scalar, 8)

    def vocabulary(self):
        return self.some(lambda: self.pick(self.tokens), 5)

    def special(self):
        return self.pick(self.specials)

    def broken_special(self):
        text = self.pick(self.specials)
        cut = self.random.randint(1, len(text))
        return self.pick([text[:cut], text[cut:], "<" + text, text[:cut] + " " + text[cut:]])

    def repeat(self):
        unit = self.pick(["a", " ", "\n", "=", "-", "\t", "0", "ab", "\u4e00", "\U0001f600", "aA", "'s", "_",
                          self.scalar()])
        return unit * self.random.randint(2, 40)

    def tokenless(self):
        return self.some(lambda: self.pick(["\x04", "\x06", "\x13", "\x14", "\x16", "\x1d", "\U00040000",
                                            "\U000bffff", "=", "!", "a", " "]))

    def emoji(self):
        return self.some(lambda: self.scalar(0x1F300, 0x1FB00) + self.pick(["", "\u200d", "\ufe0f", "\U0001f3fd"]))

    def ascii_noise(self):
        return self.some(lambda: chr(self.random.randrange(128)), 20)

    def one_word(self):
        return self.some(lambda: self.pick("abcdefghijklmnopqrstuvwxyz"), 60)

    def __iter__(self):
        while True:
            yield "".join(self.pick(self.kinds)() for _ in range(self.random.randint(1, 4)))


def file_strings(paths):
    for path in map(pathlib.Path, paths):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and not file.is_symlink() and ".git" not in file.parts:
                try:
                    yield file.read_bytes().decode("utf-8")
                except UnicodeDecodeError:
                    pass


def library(mode):
    made = tokenizers.Tokenizer.from_file(str(TOKENIZER_JSON))
    made.encode_special_tokens = mode == "plain"
    return made


def our_ids(program, mode, texts):
    with tempfile.TemporaryFile() as lines:
        lines.write("".join(json.dumps(text) + "\n" for text in texts).encode())
        lines.seek(0)
        done = subprocess.run([program, TOKENIZER_JSON, mode], stdin=lines, stdout=subprocess.PIPE, check=True)
    return done.stdout.decode().splitlines()


def compare(program, kind, texts, modes=("parsed", "plain")):
    passed = failed = 0
    libraries = {mode: library(mode) for mode in modes}
    texts = iter(texts)
    while chunk := list(itertools.islice(texts, CHUNK)):
        for mode in modes:
            theirs = libraries[mode].encode_batch_fast(chunk, add_special_tokens=False)
            ours = our_ids(program, mode, chunk)
            if len(ours) != len(chunk):
                sys.exit(f"{program}: expected {len(chunk)} lines, found {len(ours)}")
            for text, mine, reference in zip(chunk, ours, theirs):
                if mine == "[" + ",".join(map(str, reference.ids)) + "]":
                    passed += 1
                    continue
                failed += 1
                if failed <= 10:
                    print(f"differs ({kind}, {mode}): {json.dumps(text)[:400]}")
                    print(f"  expected {reference.ids[:60]}\n  found {mine[:400]}")
    print(f"{kind}: {passed} equal, {failed} differ", flush=True)
    return passed, failed


def write_sample(count, path, seed):
    strings = RandomStrings(seed)
    scalars = (strings.scalar(*strings.pick(strings.blocks + [(0, 0x110000)] * 5)) for _ in range(count))
    texts = [strings.pick(list(CONTEXTS.values())).format(c) for c in scalars]
    texts += itertools.islice(strings, count)
    ids, plain = (library(mode).encode_batch_fast(texts, add_special_tokens=False) for mode in ("parsed", "plain"))
    with open(path, "w", encoding="utf-8") as file:
        for text, a, b in zip(texts, ids, plain):
            file.write(json.dumps({"text": text, "ids": a.ids, "ids_plain": b.ids}) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--random", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=20261129)
    parser.add_argument("--no-scalars", action="store_true")
    parser.add_argument("--files", nargs="+", default=[str(ROOT), "/usr/share/i18n/locales"])
    parser.add_argument("--sample", nargs=2, metavar=("N", "FILE"))
    options = parser.parse_args()
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
    if options.sample:
        write_sample(int(options.sample[0]), options.sample[1], options.seed)
        return 0
    results = [compare(options.program, "files", file_strings(options.files)),
               compare(options.program, "scripts", script_texts.texts()),
               compare(options.program, "random", itertools.islice(RandomStrings(options.seed), options.random))]
    if not options.no_scalars:
        results.append(compare(options.program, "scalars", scalar_strings(), modes=("parsed",)))
    passed, failed = map(sum, zip(*results))
    print(f"{passed} passed, {failed} failed")
    return 0 if failed == 0 and passed > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
