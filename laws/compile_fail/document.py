"""What the compilers say of some cases, as README.md and docs/wiring.md show it."""
import re

import case as cases

SHOWN = {
    "README.md": ("key_weights_for_query",),
    "docs/wiring.md": ("key_weights_for_query", "residual_from_the_wrong_place", "key_not_rotated",
                       "push_with_room_of_another_cache", "third_push_into_two"),
}
BEGIN, END = "<!-- diagnostics: made by laws/compile_fail/check.py -->\n", "<!-- end of diagnostics -->\n"
MOST_LINES = 15


def said(compiler, case, root):
    """The whole output for a case's wrong line, as on a terminal in the project's folder; throws where it is long."""
    verdict = compiler.check_without_prelude(case.path, (f"MODEL={case.models[-1]}", "WRONG"))
    text = verdict.output.replace(f"{root}/laws/compile_fail/", "").replace(f"{root}/", "")
    lines = [re.sub(r" +$", "", line) for line in text.splitlines()
             if not re.match(r"\d+ errors? generated\.|cc1plus: all warnings", line)]
    if len(lines) > MOST_LINES:
        raise cases.Malformed(f"expected at most {MOST_LINES} lines from {compiler.name}, found {len(lines)}:\n{text}")
    return "\n".join(lines).strip("\n")


def section(page, found, compilers, root):
    """The cases that a page shows, with their wrong and right lines and what both compilers say."""
    by_name = {case.name: case for case in found}
    parts = []
    for name in SHOWN[page]:
        case = by_name[name]
        parts.append(f"### {case.title}\n\n```text\n{case.wrong}   // wrong\n{case.right}   // right\n```\n")
        for compiler in compilers:
            parts.append(f"{compiler.name}:\n\n```text\n{said(compiler, case, root)}\n```\n")
    return "\n".join(parts)


def is_shown(page, text, write):
    """Whether the page has this section; writes it there where that is wanted."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    shown, end, after = rest.partition(END)
    if write and begin and end:
        page.write_text(before + BEGIN + text + END + after, encoding="utf-8")
        return True
    return shown == text
