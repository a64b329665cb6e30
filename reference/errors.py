"""How far values are from a reference: the measures used in every table of this project."""
import numpy as np


def max_relative(values, reference):
    """max |values - reference| / max |reference|; infinite where a value is not finite or the shapes differ."""
    if values.shape != reference.shape or not np.isfinite(values).all():
        return np.inf
    return float(np.abs(values.astype(np.float64) - reference).max() / np.abs(reference).max())


def rms_relative(values, reference):
    """Root mean square of the difference over that of the reference."""
    difference = values.astype(np.float64) - reference
    return float(np.sqrt((difference * difference).mean() / (reference.astype(np.float64) ** 2).mean()))


def argmax_agreement(values, reference):
    """The share of positions where both have the same largest logit."""
    return float((values.argmax(-1) == reference.argmax(-1)).mean())


def is_rounding_of(values, reference):
    """Whether F32 `values` are float64 `reference` rounded, up to float64's own error of 1e-11 of the largest value."""
    allowed = 2.0 ** -24 * np.abs(reference) + 1e-11 * np.abs(reference).max()
    return values.shape == reference.shape and bool((np.abs(values.astype(np.float64) - reference) <= allowed).all())
