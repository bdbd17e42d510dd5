"""Share what samples say together: three values that nobody may learn one by one.

    python examples/disclose.py [FOLDER]

Each row of the diabetes study is a data set of three values, cut into low and high. A mapping is found that tells about the
progress of the disease and nothing about any one value; y is drawn for every patient. Then the same for a long column of
numbers. Writes `mapping.json` and `schemes.png` into FOLDER. The data come with scikit-learn.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import discreet as dc
from discreet import sample_privacy as sp

SAMPLES = ["blood_pressure", "hdl", "glucose"]


def halves(column: list[Any]) -> list[str]:
    """Low and high, cut at the median."""
    middle = np.median(column)
    return ["high" if value > middle else "low" for value in column]


def main(folder: str | Path = ".") -> sp.Disclosure:
    """Find mappings, say what they promise, draw."""
    study = dc.datasets.load("diabetes")
    table = {name: halves(study[name]) for name in [*SAMPLES, "progression"]}

    for latent in (None, "progression"):
        found = sp.from_table(table, SAMPLES, latent=latent)
        print(f"about {latent or 'the samples'}: {found.information:.3f} of {found.latent_entropy:.3f} bits")
        print(f"  proven to be the most: {found.proven}; about any one sample: {found.residual:.0e} bits")

    # The probabilities are estimates from 442 rows, and so is the promise.
    for samples in (SAMPLES[:2], SAMPLES):
        known = sp.from_table(table, samples).guarantee
        if known is not None:
            print(f"  {len(samples)} samples: at most {known.leak_bound:.2f} bits leak, with 95% confidence")

    rng = np.random.default_rng(0)
    rows = list(zip(*(table[name] for name in SAMPLES), strict=True))
    y = found.draw(rows, rng)
    print(f"\ndrawn for {len(y)} patients: {np.bincount(y).tolist()} of each y")
    found.save(Path(folder) / "mapping.json")

    # A long column needs no probabilities: cells of equal frequency, and the differences of neighbours.
    column = np.asarray(study["bmi"])
    quantiles = sp.quantile_sequence(column, 8)
    released = quantiles.draw(column, rng)
    print(f"\nbmi of {len(column)} patients: {quantiles.information:.0f} bits together, none about any one of them")
    print(f"  {quantiles.how}; it begins {released[:8].tolist()}")

    # What the schemes for long data sets give up against the optimum, for four fair or unfair coins.
    sp.compare_schemes(np.linspace(0.05, 0.5, 10).tolist()).plot().savefig(Path(folder) / "schemes.png", dpi=150)
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
