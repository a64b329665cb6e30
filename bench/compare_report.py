"""Writes docs/benchmarks.md and its plots from the results of compare.py."""
import os
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
from accuracy_report import circumstances
import speculation
import tokenizer_compare

SIZES = ["135m", "360m", "1.7b"]

HEAD = """# Benchmarks

`lawful` beside llama.cpp, candle and transformers, on the same weights. Made by `bench/compare`; do not edit.

- Every engine runs {threads} threads; llama.cpp is built from source, and candle 0.11.1 (with rayon), for the machine
  at hand. What was measured of every round is kept in `{figures}`: a run of one part leaves the others as they were.
- Two engines are measured in turn, the order changing from round to round; a **ratio** is the median over the rounds of
  lawful's rate over the other's in the same round. Rates are medians. On a shared machine the rates are noisy, the
  ratios less so.
- **Prefill**: a prompt of 256 tokens into an empty cache, logits of the last position. **Decode**: 64 tokens, one at a
  time, after 16. Every engine stays loaded in a process of its own; the first round does not count. **Start**: from
  start to first token for a prompt of 5 tokens, files in the page cache; for lawful the whole program, for llama.cpp
  and transformers without the start of Python and the import of their libraries. **Memory**: the most the process held,
  mapped files included; for engines in Python less what Python held before the model was loaded.
- The weights are `reference/make_synthetic.py`'s, BF16 values at the real shapes, written as BF16 and as F32; Q4_1 is
  the default model. candle and transformers widen to F32 when they load.
- What lawful computes is exact F32 arithmetic in all three: its results are those of F32 weights, bit for bit.

"""


def median(rows, side, what):
    return statistics.median(row[side][what] for row in rows)


def ratio(rows, what):
    return statistics.median(row["ours"][what] / row["theirs"][what] for row in rows)


def rates(result):
    """{engine: {prefill, decode}}: of each engine, from the first pair that it is in."""
    out = {}
    for pair in result["pairs"]:
        for side in ("theirs", "ours"):
            out.setdefault(pair[side], {what: median(pair["rows"], side, what) for what in ("prefill", "decode")})
    return out


def engines_table(result):
    lines = ["| engine | computes | prefill, tokens/s | decode, tokens/s | start, s | memory, MB |", "|---" * 6 + "|"]
    for name, rate in sorted(rates(result).items(), key=lambda item: -item[1]["decode"]):
        engine = result["engines"][name]
        lines.append(f"| {name} | {engine['computes']} | {rate['prefill']:.0f} | {rate['decode']:.1f} | "
                     f"{engine['start']:.2f} | {engine['peak_bytes'] / 1e6:.0f} |")
    return "\n".join(lines)


def pairs_table(result):
    lines = ["| lawful | against | prefill, ratio | decode, ratio |", "|---|---|---|---|"]
    for pair in result["pairs"]:
        prefill, decode = ratio(pair["rows"], "prefill"), ratio(pair["rows"], "decode")
        lines.append(f"| {pair['ours'].removeprefix('lawful ')} | {pair['theirs']} | {prefill:.2f} | {decode:.2f} |")
    return "\n".join(lines)


def limits_table(result):
    """Bytes and operations a second beside what the machine gives, as `lawful bench` measures it."""
    bandwidth, flops = result["limits"]["read_bandwidth"], result["limits"]["fma_flops"]
    lines = [f"The machine read {bandwidth / 1e9:.1f} GB/s and computed {flops / 1e9:.0f} GFLOP/s of F32 (`lawful "
             f"bench`, {result['threads']} threads). Of these, weights read in decode and products computed in prefill:", "",
             "| engine | decode, GB/s | share | prefill, GFLOP/s | share of F32 |", "|---|---|---|---|---|"]
    for name, rate in sorted(rates(result).items(), key=lambda item: -item[1]["decode"]):
        engine = result["engines"][name]
        read, computed = rate["decode"] * engine["bytes"], rate["prefill"] * engine["prefill_flops"]
        lines.append(f"| {name} | {read / 1e9:.1f} | {read / bandwidth:.0%} | {computed / 1e9:.0f} | "
                     f"{computed / flops:.0%} |")
    return "\n".join(lines)


def contexts_table(result):
    names = list(result["contexts"])
    lines = ["Decoded tokens a second by cached positions:", "", "| positions | " + " | ".join(names) + " |",
             "|---" * (len(names) + 1) + "|"]
    for row in zip(*result["contexts"].values()):
        lines.append(f"| {row[0][0]} | " + " | ".join(f"{rate:.1f}" for _, rate in row) + " |")
    return "\n".join(lines) + "\n"


def made(result):
    return f"Measured {result['when']} on {result['machine']}; {result['versions']}."


def section(size, result, plots):
    parts = [f"## {size}", "", made(result), "", engines_table(result), "", pairs_table(result), ""]
    if "scaling" in result:
        parts += [f"lawful's prefill on two threads is {result['scaling']:.2f} times as fast as on one (BF16).", ""]
    if result.get("limits"):
        parts += [limits_table(result), "", f"![roofline]({plots}_roofline_{size}.svg)", ""]
    if "contexts" in result:
        parts += [contexts_table(result), f"![decode by cached positions]({plots}_contexts.svg)", ""]
    return "\n".join(parts)


def tokenizer_section(result, plots):
    return f"""## Tokenizer

{made(result)}

Processor time of the encoding thread, one thread, the same texts in turns, by `bench/tokenizer_compare.py`; each ratio
is taken within one round of all engines.

{tokenizer_compare.table(result)}

![MB/s on one thread]({plots}_tokenizer.svg)
"""


def speculation_section(result):
    return f"""## Guesses

{made(result)}

Tokens that are looked up in the text so far are verified several at a time; the ids stay the same. Answers of the
default model, by `bench/speculation.py`; each ratio is taken within one round.

{speculation.table(result['weights'])}
"""


def bars(results, what, path):
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(1, len(results), figsize=(4.6 * len(results), 3.4), squeeze=False)
    for axis, (size, result) in zip(axes[0], results.items()):
        shown = sorted(what(result).items(), key=lambda item: item[1])
        colours = ["#c0504d" if name.startswith("lawful") else "#7f7f7f" for name, _ in shown]
        bar = axis.barh([name for name, _ in shown], [value for _, value in shown], color=colours)
        axis.bar_label(bar, fmt="%.3g", fontsize=7)
        axis.set_title(size)
        axis.tick_params(labelsize=7)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def context_lines(results, path):
    from matplotlib import pyplot
    figure, axis = pyplot.subplots(figsize=(6, 3.4))
    for size, result in results.items():
        for name, points in result.get("contexts", {}).items():
            axis.plot(*zip(*points), "o-", label=f"{size}, {name}")
    axis.set(xlabel="cached positions", ylabel="decoded tokens/s")
    axis.set_ylim(bottom=0)
    axis.legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def roofline(result, path):
    """Operations a second over operations per byte of weights, under what the machine gives."""
    from matplotlib import pyplot
    bandwidth, flops = result["limits"]["read_bandwidth"], result["limits"]["fma_flops"]
    figure, axis = pyplot.subplots(figsize=(6.4, 4.2))
    intensity = [10.0 ** (i / 20 - 1) for i in range(81)]
    axis.loglog(intensity, [min(flops, bandwidth * i) / 1e9 for i in intensity], "k-", lw=1, label="the machine, F32")
    for name, rate in rates(result).items():
        engine = result["engines"][name]
        decode, prefill = engine["decode_flops"] / engine["bytes"], 256 * engine["prefill_flops"] / engine["bytes"]
        points = [rate["decode"] * engine["decode_flops"] / 1e9, rate["prefill"] * engine["prefill_flops"] / 1e9]
        axis.loglog([decode, prefill], points, "s" if name.startswith("lawful") else "o", ms=5, label=name)
    axis.set(xlabel="operations per byte of weights (left decode, right prefill of 256)", ylabel="GFLOP/s")
    axis.legend(fontsize=7)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def draw(results, out):
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "lawful"
    for what in ("decode", "prefill"):
        bars(results, lambda result: {name: rate[what] for name, rate in rates(result).items()}, f"{out}_{what}.svg")
    bars(results, lambda result: {n: e["peak_bytes"] / 1e6 for n, e in result["engines"].items()}, f"{out}_memory.svg")
    context_lines(results, f"{out}_contexts.svg")
    for size, result in results.items():
        if result.get("limits"):
            roofline(result, f"{out}_roofline_{size}.svg")


def write(results, out, figures):
    """OUT.md, and OUT_decode.svg, OUT_prefill.svg, OUT_memory.svg, OUT_contexts.svg."""
    tokenizer, guesses = results.get("tokenizer"), results.get("speculation")
    results = {size: results[size] for size in SIZES if size in results}
    some, plots = next(iter(results.values())), os.path.basename(out)
    draw(results, out)
    text = HEAD.format(threads=some["threads"], figures=os.path.basename(figures))
    for what, title in (("decode", "decoded tokens/s"), ("prefill", "prompt tokens/s"), ("memory", "peak memory, MB")):
        text += f"![{title}]({plots}_{what}.svg)\n"
    text += "\n" + "\n".join(section(size, result, plots) for size, result in results.items())
    if guesses:
        text += "\n" + speculation_section(guesses)
    if tokenizer:
        tokenizer_compare.plot(tokenizer, f"{out}_tokenizer.svg")
        text += "\n" + tokenizer_section(tokenizer, plots)
    with open(out + ".md", "w", encoding="utf-8") as file:
        file.write(text)
