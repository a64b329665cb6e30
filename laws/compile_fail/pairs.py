"""Every exchange of two weights of a layer, made in the text of the forward pass itself."""
import itertools
import re

FORWARD = "model/forward.hpp"
MODELS = ("smollm2_135m", "smollm2_360m", "smollm2_1_7b")
# What a forward pass by hand has to include before the text that is changed.
PRELUDE = '#include "model/weights.hpp"\n#include <type_traits>\n'
INSTANTIATED = """#include "model/forward.hpp"
namespace lawful::model {
""" + "".join(f"""template Rows<Vocab<{m}>> forward(const Weights<{m}>&, KvCache<{m}>&, KvRoom<{m}>, const Tokens<{m}>&, std::size_t,
                                 Unwatched (&)(LayerIndex<{m}>));
""" for m in MODELS) + "}\n"


def layer_weights(forward):
    """The weights that the block names, as they are written there, in order."""
    body = forward[forward.index("auto block("):]
    body = body[:body.index("\n}\n")]
    return list(dict.fromkeys(re.findall(r"\bw\.(?:\w+\.)?\w+", body)))


def roles(weights):
    """The roles in the type of each member of a layer, from the one list of tensors."""
    types = {alias: re.findall(r"(\w+)<M>", arguments)
             for alias, arguments in re.findall(r"using (\w+) = (?:Linear|RmsNorm)<(.*)>;", weights)}
    return {member: types[alias] for alias, member in re.findall(r"\((\w+), (\w+)\)", weights) if alias in types}


def exchanged(forward, one, other):
    names = {one: other, other: one}
    return re.sub(rf"{re.escape(one)}\b|{re.escape(other)}\b", lambda found: names[found[0]], forward)


class Pairs:
    """The exchanges, each as a folder with a forward.hpp of its own."""

    def __init__(self, root, scratch):
        self.forward = (root / FORWARD).read_text(encoding="utf-8")
        self.roles = roles((root / "model/weights.hpp").read_text(encoding="utf-8"))
        self.scratch = scratch
        self.names = list(itertools.combinations(layer_weights(self.forward), 2))
        if len(self.names) != 36:
            raise RuntimeError(f"{FORWARD}: expected the 36 pairs of 9 weights, found {len(self.names)}")

    def compile(self, compiler, number, text):
        folder = self.scratch / f"pair_{number}_{compiler.name}"
        (folder / "model").mkdir(parents=True)
        (folder / FORWARD).write_text(text, encoding="utf-8")
        source = folder / "forward.cpp"
        source.write_text(INSTANTIATED, encoding="utf-8")
        return compiler.check(source, first_include=folder)

    def control(self, compiler):
        """The forward pass as it is."""
        verdict = self.compile(compiler, "none", self.forward)
        return None if verdict.accepted else f"expected {FORWARD} to compile, found\n{verdict.output}"

    def exchange(self, compiler, number):
        """Why an exchange is not refused as it should be; None where it is, in every model."""
        one, other = self.names[number]
        verdict = self.compile(compiler, number, exchanged(self.forward, one, other))
        if verdict.crashed or verdict.accepted:
            return f"expected a refusal, found {'a crash' if verdict.crashed else 'that it compiles'}"
        wanted = [role for name in (one, other) for role in self.roles[name.rpartition(".")[2]]]
        for model in MODELS:
            first = next((text for _, text in verdict.errors() if model in text), "no error")
            if "wiring_fault<Expected<" not in first or not any(f"{role}<{model}>" in first for role in wanted):
                return f"expected a wiring_fault about {', '.join(wanted)} of {model}, found\n  {first}\n{verdict.output}"
        return None

    def jobs(self, compiler):
        yield f"the forward pass, {compiler.name}", lambda: self.control(compiler)
        for number, (one, other) in enumerate(self.names):
            yield f"{one} exchanged with {other}, {compiler.name}", lambda n=number: self.exchange(compiler, n)
