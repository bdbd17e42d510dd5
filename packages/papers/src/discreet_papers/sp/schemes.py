"""What Figs 4 and 5 and the claims about partial processing and uniformising share: the curves, and the rate of (67)."""

from __future__ import annotations

from discreet.sample_privacy import Schemes, compare_schemes, efficiencies
from discreet_papers.claims import Study
from discreet_papers.sp.families import binary_entropy

GRID = tuple(round(0.025 * i, 3) for i in range(1, 21))
"""q of Figs 4 and 5: 0.025 to 0.5."""


def few_samples(study: Study) -> Schemes:
    """Fig 4: four samples."""
    return compare_schemes(GRID)


def ever_more(study: Study) -> Schemes:
    """Fig 5: ever more samples."""
    return efficiencies(GRID, windows=(2, 3, 4, 5))


def crossover(q: float) -> float:
    """β of Example 5."""
    return (0.5 - q) / (1 - q)


def printed_rate(q: float) -> float:
    """The last line of (67) for one pair of neighbours, in bits."""
    beta = crossover(q)
    mixed = binary_entropy(2 * beta * (1 - beta))
    return 1 - 2 * q * (1 - q) * binary_entropy(beta) - (1 - q) ** 2 * mixed
