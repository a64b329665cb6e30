#!/usr/bin/env python3
"""Makes unicode_table.hpp out of reference/values/unicode_classes.json, the reference tokenizer's character classes.

    tokenizer/make_unicode_table.py            writes the table
    tokenizer/make_unicode_table.py --check    exits 1 unless the committed table is what this script writes
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent / "reference" / "values" / "unicode_classes.json"
TABLE = HERE / "unicode_table.hpp"

# The values of CharacterClass. The Digits step isolates a code point whether the regex calls it a number (Nd) or
# not (Od), and a piece of one code point is the same piece by either rule, so both are `numeric`.
CLASSES = {"O": 0, "L": 1, "S": 2, "Nd": 3, "Od": 3}
BLOCK = 256
PER_WORD = 32


def class_of_each_code_point(ranges):
    classes = [CLASSES["O"]] * 0x110000  # surrogates are in no range and never in a text
    for first, last, name in ranges:
        if name not in CLASSES:
            sys.exit(f"{SOURCE}: expected classes {', '.join(CLASSES)}, found {name}")
        classes[first:last + 1] = [CLASSES[name]] * (last + 1 - first)
    return classes


def pack(block):
    return [sum(c << 2 * i for i, c in enumerate(block[w:w + PER_WORD])) for w in range(0, BLOCK, PER_WORD)]


def lines(values, per_line, spell):
    return ["    " + " ".join(spell(v) + "," for v in values[i:i + per_line])
            for i in range(0, len(values), per_line)]


def table_text(source):
    classes = class_of_each_code_point(source["ranges"])
    blocks, index = {}, []
    for begin in range(0, len(classes), BLOCK):
        block = tuple(classes[begin:begin + BLOCK])
        index.append(blocks.setdefault(block, len(blocks)))
    words = [word for block in blocks for word in pack(block)]
    return "\n".join([
        "// Made by tokenizer/make_unicode_table.py from reference/values/unicode_classes.json. Do not edit.",
        f"// Source: {source['made_with']}.",
        "#pragma once",
        "#include <cstdint>",
        "",
        "namespace lawful::tokenizer::unicode {",
        "",
        f"// The block of classes for each {BLOCK} code points.",
        f"inline constexpr std::uint8_t block_of[{len(index)}] = {{",
        *lines(index, 28, str),
        "};",
        "",
        f"// {BLOCK // PER_WORD} words a block, {PER_WORD} classes of 2 bits a word, lowest bits first.",
        f"inline constexpr std::uint64_t class_words[{len(words)}] = {{",
        *lines(words, 5, lambda w: f"0x{w:016x}U"),
        "};",
        "",
        "}  // namespace lawful::tokenizer::unicode",
        "",
    ])


def main():
    text = table_text(json.loads(SOURCE.read_text()))
    if sys.argv[1:] == ["--check"]:
        if TABLE.read_text() != text:
            sys.exit(f"{TABLE.name} is not what {pathlib.Path(__file__).name} makes of {SOURCE.name}: run it")
    elif not sys.argv[1:]:
        TABLE.write_text(text)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
