#!/usr/bin/env python3
"""Writes real words of every script that glibc's locales have, with the ids of the `tokenizers` library.

    reference/script_texts.py reference/values/tokenizer_scripts.jsonl

A line for each script: the names of days, months and countries of the first locales (Debian's package `locales`) that
are written in it, as one text: {"script", "locales", "text", "ids", "ids_plain"}. Needs `pip install tokenizers`.
"""
import collections
import json
import pathlib
import re
import sys
import unicodedata

import tokenizers

LOCALES = pathlib.Path("/usr/share/i18n/locales")
TOKENIZER_JSON = pathlib.Path(__file__).resolve().parent / "values" / "tokenizer.json"
FIELDS = ("day", "abday", "mon", "country_name", "lang_name")
LOCALES_A_SCRIPT = 3
# A character's name begins with its script, but for these.
NOT_SCRIPTS = {"MODIFIER", "COMBINING", "FEMININE", "MASCULINE"}


def words_of(locale):
    """The strings of FIELDS, in the order of the file, its <Uxxxx> as characters."""
    text = locale.read_text(encoding="utf-8")
    words = []
    for field in FIELDS:
        found = re.search(rf"^{field}\s+((?:/\s*\n|[^\n])*(?:/\s*\n[^\n]*)*)", text, re.MULTILINE)
        for quoted in re.findall(r'"([^"\n]*)"', found.group(1)) if found else ():
            words.append(re.sub(r"<U([0-9A-Fa-f]{4,8})>", lambda code: chr(int(code.group(1), 16)), quoted))
    return [word for word in words if word]


def script_of(words):
    """The script of most letters (CJK: Han), or None."""
    names = (unicodedata.name(c, "").split(" ")[0] for word in words for c in word if c.isalpha())
    counts = collections.Counter(name for name in names if name not in NOT_SCRIPTS)
    return counts.most_common(1)[0][0] if counts else None


def texts():
    """A text for each locale."""
    for locale in sorted(LOCALES.glob("*_*")):
        yield ", ".join(words_of(locale))


def texts_by_script():
    chosen = collections.defaultdict(list)
    for locale in sorted(LOCALES.glob("*_*")):
        words = words_of(locale)
        script, text = script_of(words), ", ".join(words)
        if script and len(chosen[script]) < LOCALES_A_SCRIPT and text not in (other for _, other in chosen[script]):
            chosen[script].append((locale.name, text))
    return chosen


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    parsed, plain = (tokenizers.Tokenizer.from_file(str(TOKENIZER_JSON)) for _ in range(2))
    plain.encode_special_tokens = True
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        for script, texts in sorted(texts_by_script().items()):
            text = "\n".join(text for _, text in texts)
            ids, ids_plain = (made.encode(text, add_special_tokens=False).ids for made in (parsed, plain))
            row = {"script": "Han" if script == "CJK" else script.capitalize(), "locales": [name for name, _ in texts], "text": text,
                   "ids": ids, "ids_plain": ids_plain}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
