"""What a policy states about a table, and which of these figures it promises."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from discreet.joint._joint import Joint
from discreet.measures import REGISTRY

if TYPE_CHECKING:
    from discreet.release._policy import Policy

MEASURED = ("L0", "I*", "L*", "k", "n", "H0", "I", "Lmin", "I_inf")  # before and after, in every policy file
TO_THE_INFORMED = {"L0": "L0|A", "I*": "I*,A"}  # the same to an adversary who knows the side information
PROMISED = {"L0": ("L0",), "I*": ("I*",), "L0|I*=0": ("L0", "I*"), "I": ("I",), "Lmin": ("Lmin",), "I_inf": ("I_inf",)}


def renyi_order(leakage: str) -> float | None:
    """The order of a worst-case Rényi leakage by its symbol, else None.

    Examples
    --------
    >>> renyi_order("D_2"), renyi_order("D_inf"), renyi_order("L0")
    (2.0, inf, None)
    """
    named = re.fullmatch(r"D_(inf|0|[1-9][0-9]*|(?:0|[1-9][0-9]*)\.[0-9]*[1-9])", leakage)
    return float(named[1]) if named else None


def promised_by(leakage: str) -> tuple[str, ...]:
    """The measures that a policy for this leakage bounds; nothing where the leakage is not known."""
    return PROMISED.get(leakage) or ((leakage,) if renyi_order(leakage) is not None else ())


def measured(joint: Joint, leakage: str = "L0") -> dict[str, float]:
    """The measures that a policy file states: always the same, and the leakage that the policy is about."""
    found = {
        symbol: REGISTRY[symbol](joint)
        for symbol in dict.fromkeys((*MEASURED, *promised_by(leakage)))
        if REGISTRY[symbol].kind == "range" or (joint.has_counts and (symbol != "n" or joint.is_integral))
    }
    if joint.has_side:
        found |= {name: REGISTRY[symbol](joint, side=True) for symbol, name in TO_THE_INFORMED.items()}
    return found


def alone_in(joint: Joint) -> dict[str, int]:
    """The fewest distinct values of each sensitive column by itself, where several are protected together."""
    if len(joint.sensitive) < 2:
        return {}
    return {name: int(joint.select(sensitive=[name]).distinct.min()) for name in joint.sensitive}


def broken(policy: Policy, after: Joint) -> list[str]:
    """Why a released joint does not keep a policy's promises; empty when it does."""
    reasons = []
    if after.n_s < 2:
        reasons.append("the table has a single sensitive value: everybody's is known")
    found = measured(after, policy.leakage)
    for symbol in policy.promised:
        if symbol not in found:
            continue  # the side information is not here
        value, bound = found[symbol], policy.after[symbol]
        if value > bound + 1e-12 * max(1.0, bound):
            reasons.append(f"{symbol} is {value:.4g} bits, the policy promises {bound:.4g}")
    for name, count in alone_in(after).items():
        if count < policy.alone.get(name, 0):
            reasons.append(
                f"{name} alone has {count} distinct values in a group, the policy promises {policy.alone[name]}"
            )
    least = int(after.distinct.min())
    if least < policy.promised_distinct:
        short = int((after.distinct < policy.promised_distinct).sum())
        reasons.append(
            f"{short} of {after.n_x} released groups have fewer than the {policy.promised_distinct} distinct sensitive "
            f"values promised (the least has {least})"
        )
    if policy.at_least and float(after.records.min()) < policy.at_least:
        few = int((after.records < policy.at_least).sum())
        reasons.append(
            f"{few} of {after.n_x} released groups have fewer than the {policy.at_least} records promised "
            f"(the least has {after.records.min():g})"
        )
    return reasons


def misclaimed(policy: Policy, found: dict[str, float]) -> list[str]:
    """Figures of the policy file that the original does not bear out."""
    wrong = []
    for symbol in dict.fromkeys(("L0", "I*", "k", *(each for each in policy.promised if each in found))):
        claimed, value = policy.after[symbol], found[symbol]
        grows = -REGISTRY[symbol].direction if symbol in REGISTRY else 1  # with side information it is a leakage too
        worse = (value - claimed) * grows
        if worse > 1e-9:
            wrong.append(f"the policy claims {symbol} {claimed:.4g}, the original gives {value:.4g}")
    return wrong


def slack_of(joint: Joint, utility: str) -> float:
    """How much further a value may lie from its codeword than its letter, where letters are bands of one column."""
    if utility != "distortion" or not joint.bands:
        return 0.0
    ((_, band),) = joint.bands.items()
    return max(band.slack(letter) for letter in joint.x)
