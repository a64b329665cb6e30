"""Writes docs/accuracy.md and its plot from the results of accuracy.py."""
import math
import os
import platform
import re
import time

TITLES = {"135m": "SmolLM2-135M-Instruct, real weights (the default model's, widened to F32)",
          "360m": "360M shape, synthetic weights (BF16)", "1.7b": "1.7B shape, synthetic weights (BF16)"}
BASELINE = "transformers F32"
PART_NAMES = dict(n1="first norm", q="query", k="key", v="value", qr="query rotated", kr="key rotated", attn="attention",
                  a="after the first residual", n2="second norm", m="silu(gate)·up", y="after the second residual")

HEAD = """# Accuracy

How far `lawful`, transformers and llama.cpp are from a float64 oracle (`reference/oracle.py`), on the same weights and
the same prompts. Made by `reference/measure_accuracy`; do not edit.

- **Weights**: each engine gets the same values, F32. For llama.cpp they are written to an F32 GGUF, and its KV cache is
  F32 as well (its default, F16, rounds keys and values to 11 bits).
- **Prompts**: the {count} of `reference/prompts.json`, {low} to {high} tokens of text and code, written for this.
- **max**: max |Δ| / max |reference| over all logits of a prompt. **rms**: √(mean Δ² / mean reference²). Both are
  geometric means over the prompts; **worst** is the worst prompt's. **ratio**: rms over that of transformers, prompt by
  prompt; a single short prompt is mostly luck, the geometric mean is not.
  In "worst ratio" the number of tokens of that prompt stands in brackets. What was measured of each prompt is kept
  beside this page (`accuracy_*.json`): a run of one size leaves the others as they were.
- **argmax**: the share of positions with the oracle's most likely token. **greedy**: how many of {greedy} steps of the
  oracle's own greedy continuations (4 prompts, 512 steps each) have the oracle's token.

![rms error of each prompt, and layer by layer]({plot})
"""


def machine():
    """The processor, by its own word."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = re.findall(r"^model name\s*: (.*)$", file.read(), re.M)
            return f"{names[0]}, {len(os.sched_getaffinity(0))} cores" if names else platform.machine()
    except OSError:
        return platform.machine()


def geometric(values):
    """The geometric mean; zero counts as 1e-300, so that one exact prompt does not hide the rest."""
    return math.exp(sum(math.log(max(v, 1e-300)) for v in values) / len(values))


def ratios(result, engine):
    return [ours["rms"] / theirs["rms"] for ours, theirs in zip(result["prompts"][engine], result["prompts"][BASELINE])]


def engine_row(result, engine):
    rows = result["prompts"][engine]
    positions = sum(row["tokens"] for row in rows)
    ratio = ratios(result, engine)
    worst = max(range(len(ratio)), key=ratio.__getitem__)
    greedy = result["greedy"][engine]
    return " | ".join([
        f"| {engine}", f"{geometric([r['max'] for r in rows]):.2e}", f"{max(r['max'] for r in rows):.2e}",
        f"{geometric([r['rms'] for r in rows]):.2e}", f"{max(r['rms'] for r in rows):.2e}",
        f"**{geometric(ratio):.3f}**", f"{ratio[worst]:.2f} (of {rows[worst]['tokens']})",
        f"{sum(r['argmax'] * r['tokens'] for r in rows) / positions:.2%}",
        (f"{sum(greedy)}" if greedy else "–") + " |"])


def layers_text(result):
    """Which intermediate value is furthest off, and the residual stream beside transformers'."""
    ours, theirs = result["layers"]["ours"], result["layers"]["transformers"]
    part, layer = max(((p, i) for p in ours for i in range(len(ours[p]))), key=lambda at: ours[at[0]][at[1]])
    lines = ["| value | worst layer | rms | last layer, rms |", "|---|---|---|---|"]
    for name, values in ours.items():
        worst = max(range(len(values)), key=values.__getitem__)
        lines.append(f"| {name}, {PART_NAMES[name]} | {worst} | {values[worst]:.2e} | {values[-1]:.2e} |")
    stream = geometric([o / t for o, t in zip(ours["y"], theirs)])
    return (f"Layer by layer (`lawful trace`, two prompts): the largest rms error of any intermediate value is\n"
            f"{ours[part][layer]:.2e}, of {part} in layer {layer}. The residual stream is {stream:.3f} times as far off\n"
            f"as transformers' (geometric mean over the layers).\n\n" + "\n".join(lines))


def long_text(result):
    """The error along a text that fills the context."""
    engines = result["long"]
    ours = [error for _, error in engines["lawful"]]
    lines = ["### Long context", "", "One text of 8,192 tokens; rms relative error over the 32 positions up to each.\n"
             f"lawful's largest is {max(ours) / min(ours):.1f} times its smallest.", "",
             "| position | " + " | ".join(engines) + " |", "|---" * (len(engines) + 1) + "|"]
    for row in zip(*engines.values()):
        lines.append(f"| {row[0][0]} | " + " | ".join(f"{error:.2e}" for _, error in row) + " |")
    return "\n".join(lines)


def section(name, result):
    columns = "| engine | max | worst max | rms | worst rms | ratio | worst ratio | argmax | greedy |"
    made = f"Measured {result['when']} on {result['machine']}; {result['versions']}."
    lines = [f"## {TITLES.get(name, name)}", "", made, "", columns, "|---" * 9 + "|"]
    engines = sorted(result["prompts"], key=lambda engine: geometric(ratios(result, engine)))
    lines += [engine_row(result, engine) for engine in engines]
    parts = ["\n".join(lines), layers_text(result)] + ([long_text(result)] if result.get("long") else [])
    return "\n\n".join(parts) + "\n"


def circumstances():
    """When, on what, and with which versions something is measured."""
    from importlib.metadata import version
    names = ("torch", "transformers", "llama-cpp-python", "tokenizers", "numpy")
    return dict(when=time.strftime("%Y-%m-%d"), machine=machine(), versions=", ".join(f"{n} {version(n)}" for n in names))


def draw(results, path):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "lawful"  # the same file from the same figures
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(len(results), 3, figsize=(15, 3.6 * len(results)), squeeze=False)
    for (left, right, far), (name, result) in zip(axes, results.items()):
        for engine, points in result.get("long", {}).items():
            far.semilogy(*zip(*points), "o-", ms=3, label=engine)
        far.set(title=f"{name}: along 8,192 positions", xlabel="position", ylabel="rms relative error")
        far.set_visible(bool(result.get("long")))
        if result.get("long"):
            far.legend(fontsize=8)
        for engine, marker in zip(result["prompts"], "os^x"):
            if not engine.endswith("2 threads"):
                rows = result["prompts"][engine]
                left.loglog([r["tokens"] for r in rows], [r["rms"] for r in rows], marker, ms=4, label=engine)
        left.set(title=f"{name}: logits", xlabel="tokens of the prompt", ylabel="rms relative error")
        right.semilogy(result["layers"]["transformers"], "o", ms=3, label=BASELINE)
        right.semilogy(result["layers"]["ours"]["y"], "s", ms=3, label="lawful")
        right.set(title=f"{name}: residual stream", xlabel="layer", ylabel="rms relative error")
        left.legend(fontsize=8)
        right.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def write(results, out):
    """OUT.md and OUT.svg."""
    results = {name: results[name] for name in sorted(results, key=list(TITLES).index)}
    some = next(iter(results.values()))
    tokens = [row["tokens"] for row in some["prompts"][BASELINE]]
    draw(results, out + ".svg")
    head = HEAD.format(count=len(tokens), low=min(tokens), high=max(tokens), greedy=4 * 512,
                       plot=os.path.basename(out) + ".svg")
    with open(out + ".md", "w", encoding="utf-8") as file:
        file.write("\n".join([head, *(section(*item) for item in results.items())]))
