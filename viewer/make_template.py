#!/usr/bin/env python3
"""make_template.py PAGE STYLE SCRIPT… OUTPUT: a header with the page, its style and its scripts in place, as one literal."""
import pathlib
import sys


def literal(text):
    """Raw strings, in pieces that every compiler takes."""
    pieces = [text[begin:begin + 8000] for begin in range(0, len(text), 8000)]
    return "\n".join(f'    R"page({piece})page"' for piece in pieces)


def main():
    page, style, *scripts = (pathlib.Path(path).read_text(encoding="utf-8") for path in sys.argv[1:-1])
    script = "\n".join(scripts)
    if ')page"' in page + style + script:
        sys.exit("make_template.py: the page holds the end of a raw string")
    for place, text in (("{{style}}", style), ("{{script}}", script)):
        if page.count(place) != 1:
            sys.exit(f"{sys.argv[1]}: expected {place} once, found {page.count(place)} times")
        page = page.replace(place, text)
    pathlib.Path(sys.argv[-1]).write_text(
        "// Made by viewer/make_template.py.\n#pragma once\n#include <string_view>\n\nnamespace lawful::viewer {\n\n"
        f"inline constexpr std::string_view page_template =\n{literal(page)};\n\n"
        "}  // namespace lawful::viewer\n", encoding="utf-8")


main()
