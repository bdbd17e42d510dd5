"""Measures: functions of a Joint, each in bits unless it says otherwise, all in one registry."""

from __future__ import annotations

from discreet.measures._guessing import conditional_guessing_entropy, guessing_entropy, guessing_leakage
from discreet.measures._orders import arimoto_information, maximal_alpha_leakage, renyi_leakage, sibson_information
from discreet.measures._ranges import (
    conditional_hartley_entropy,
    distinct_anonymity,
    hartley_entropy,
    identifiability,
    least_uncertainty,
    maximal_guessing_leakage,
    maximin_information,
    overlap_partition,
    worst_attribute,
    worst_case_leakage,
    zero_information,
)
from discreet.measures._registry import REGISTRY, Measure, measure
from discreet.measures._shannon import (
    entropy,
    gacs_korner_information,
    local_dp_epsilon,
    maximal_leakage,
    min_entropy_leakage,
    mutual_information,
    realisable_leakage,
    record_anonymity,
)

__all__ = [
    "REGISTRY",
    "Measure",
    "arimoto_information",
    "conditional_guessing_entropy",
    "conditional_hartley_entropy",
    "distinct_anonymity",
    "entropy",
    "gacs_korner_information",
    "guessing_entropy",
    "guessing_leakage",
    "hartley_entropy",
    "identifiability",
    "least_uncertainty",
    "local_dp_epsilon",
    "maximal_alpha_leakage",
    "maximal_guessing_leakage",
    "maximal_leakage",
    "maximin_information",
    "measure",
    "min_entropy_leakage",
    "mutual_information",
    "overlap_partition",
    "realisable_leakage",
    "record_anonymity",
    "renyi_leakage",
    "sibson_information",
    "worst_attribute",
    "worst_case_leakage",
    "zero_information",
]
