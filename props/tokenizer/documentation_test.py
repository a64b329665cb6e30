#!/usr/bin/env python3
"""docs/tokenizer.md shows the example as it is, and what the compiled example prints.

    documentation_test.py EXAMPLE_PROGRAM      (in the project's root)
"""
import pathlib
import re
import subprocess
import sys

failed = 0


def check(what, found, expected):
    global failed
    if found != expected:
        failed += 1
        print(f"{what}: expected\n{expected}\nfound\n{found}")


page = pathlib.Path("docs/tokenizer.md").read_text(encoding="utf-8")
blocks = dict(re.findall(r"```(cpp|text)\n(.*?)```\n", page, re.S))
printed = subprocess.run([sys.argv[1], "reference/values/tokenizer.json"], stdout=subprocess.PIPE, check=True).stdout
check("the code block", blocks["cpp"], pathlib.Path("docs/tokenizer_example.cpp").read_text(encoding="utf-8"))
check("the output block", blocks["text"], printed.decode("utf-8"))
for link in re.findall(r"`((?:tokenizer|io|laws|props|bench|reference)/[\w/.]+\.(?:hpp|cpp|py|jsonl|json))`", page):
    check(f"{link}", pathlib.Path(link).exists(), True)
sys.exit(1 if failed else 0)
