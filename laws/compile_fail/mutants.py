"""Edited copies of the model's headers, compiled many to a file.

Each copy stands in a namespace of its own, under a #line that names it, so that every error in it is known to be its
own. A copy without errors is not believed: it is compiled again by itself, in the header's own place.
"""
import dataclasses
import re

import compilers
import edits

# The headers that an edit can reach, in the order of their includes; one is copied with all that come after it.
STACK = ("room", "layer_cache", "kv_cache", "operations", "faults", "weights", "forward", "forward_faults")
FRIENDS = ("room", "layer_cache", "kv_cache")
MODEL = "tiny"
INSTANTIATED = f"""template Rows<Vocab<{MODEL}>> forward(const Weights<{MODEL}>&, KvCache<{MODEL}>&, KvRoom<{MODEL}>,
                                          const Tokens<{MODEL}>&, std::size_t, Unwatched (&)(LayerIndex<{MODEL}>));
"""
WHOLE = f'#include "model/forward.hpp"\nnamespace lawful::model {{\n{INSTANTIATED}}}\n'
BATCH = 24
OPENING = "namespace lawful::model {\n"
ERROR = re.compile(r"^copy_(\d+|control)/[^\n]*?:\d+:\d+: (?:fatal )?error: (.*)$", re.M)


@dataclasses.dataclass
class Mutant:
    header: str
    edit: edits.Edit
    source: bytes  # the header as it is
    errors: dict = dataclasses.field(default_factory=dict)  # by compiler: the first one

    @property
    def line(self):
        return self.source[:self.edit.begin].count(b"\n") + 1

    def text(self):
        return self.edit.applied(self.source).decode()

    def rejected(self):
        return len(self.errors) == len(compilers.NAMES)


def includes(root, headers):
    """The includes of `headers` that lead out of them: what all copies share."""
    inside = {f"model/{name}.hpp" for name in STACK}
    lines = []
    for name in headers:
        text = (root / f"model/{name}.hpp").read_text(encoding="utf-8")
        lines += [line for line in re.findall(r'^#include .*$', text, re.M)
                  if not any(f'"{path}"' in line for path in inside)]
    return "\n".join(dict.fromkeys(lines)) + "\n"


def first_copied(header):
    """Where a copy begins: the headers of the cache are friends of each other, so that they are copied together."""
    return 0 if header in FRIENDS else STACK.index(header)


def prelude(root, header):
    """What stands before a copy of `header`: the headers before it, and the includes of those after it."""
    at = first_copied(header)
    before = "".join(f'#include "model/{name}.hpp"\n' for name in STACK[:at] if not name.endswith("faults"))
    return before + includes(root, STACK[at:])


def bodies(text):
    """The parts of a header inside the model's namespace, each with the number of its first line."""
    at = 0
    while (begin := text.find(OPENING, at)) >= 0:
        begin += len(OPENING)
        at = text.index("\n}  // namespace lawful::model\n", begin) + 1
        yield text[:begin].count("\n") + 1, text[begin:at]


def copied(root, label, header, text):
    """A copy of `header` with this text, and of all headers after it."""
    parts = [f"namespace lawful::model::copy_{label} {{\n"]
    for name in STACK[first_copied(header):]:
        content = text if name == header else (root / f"model/{name}.hpp").read_text(encoding="utf-8")
        for line, body in bodies(content):
            parts.append(f'#line {line} "copy_{label}/{name}.hpp"\n{body}')
    parts.append(f'#line 1 "copy_{label}/instantiated"\n{INSTANTIATED}}}\n')
    return "".join(parts)


def try_batch(root, compiler, folder, number, mutants):
    """Compiles some mutants of one header together, with the header itself as the last copy."""
    header = mutants[0].header
    source = folder / f"batch_{header}_{number}_{compiler.name}.cpp"
    original = mutants[0].source.decode()
    source.write_text("".join(copied(root, i, header, m.text()) for i, m in enumerate(mutants)) +
                      copied(root, "control", header, original), encoding="utf-8")
    verdict = compiler.check(source)
    first = {}
    for label, text in ERROR.findall(verdict.output):
        first.setdefault(label, compilers.plain(text))
    if verdict.crashed or "control" in first:
        return
    for label, text in first.items():
        mutants[int(label)].errors[compiler.name] = text


def try_alone(compiler, folder, number, mutant):
    """Compiles one mutant in its header's own place."""
    place = folder / f"alone_{number}_{compiler.name}"
    (place / "model").mkdir(parents=True)
    (place / "model" / f"{mutant.header}.hpp").write_text(mutant.text(), encoding="utf-8")
    source = place / "whole.cpp"
    source.write_text(WHOLE, encoding="utf-8")
    verdict = compiler.check(source, first_include=place)
    if verdict.crashed:
        raise RuntimeError(f"{compiler.name} crashed on {mutant.header}.hpp:{mutant.line}: {mutant.edit.what}")
    if not verdict.accepted:
        mutant.errors[compiler.name] = (verdict.errors() or [("", "refused")])[0][1]
