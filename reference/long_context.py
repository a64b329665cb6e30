"""How the error grows with the position: one text that fills the whole context, windows of positions compared."""
import errors

CENTRES = (1, 128, 512, 1024, 2048, 4096, 6144, 8191)
WINDOW = 32  # positions compared around each


def text(prompts, length):
    """`length` ids of text and code: the prompts one after another, over again."""
    ids = [i for prompt in prompts for i in prompt]
    return (ids * (length // len(ids) + 1))[:length]


def windows(length):
    """For each centre below `length`, the positions around it; the first one has fewer."""
    return [list(range(max(0, c - WINDOW + 1), c + 1)) for c in CENTRES if c < length]


def window_errors(logits_at, ids, cache):
    """[[centre, rms relative error over its window], …]; logits_at(ids, positions) gives an engine's rows."""
    groups = windows(len(ids))
    positions = [p for group in groups for p in group]
    values, reference = logits_at(ids, positions), cache.logits_at(ids, positions)
    out, row = [], 0
    for group in groups:
        rows = slice(row, row + len(group))
        out.append([group[-1], errors.rms_relative(values[rows], reference[rows])])
        row += len(group)
    return out

