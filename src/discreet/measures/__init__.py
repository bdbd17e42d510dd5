"""Measures: functions of a Joint, each in bits unless it says otherwise, all in one registry."""

from __future__ import annotations

from discreet.measures._blackwell import Comparison, dominates
from discreet.measures._capacities import Capacities, capacities, shannon_capacity
from discreet.measures._gain import Vulnerability, metric_privacy, vulnerability
from discreet.measures._guessing import conditional_guessing_entropy, guessing_entropy, guessing_leakage
from discreet.measures._models import (
    basic_likeness,
    disclosure_delta,
    enhanced_likeness,
    entropy_diversity,
    largest_share,
    recursive_diversity,
)
from discreet.measures._movers import hierarchical_closeness, ordered_closeness, t_closeness
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
from discreet.measures._together import Interaction, interactions, pronounced
from discreet.measures._wyner import CommonInformation, exact_common_information, wyner_information

__all__ = [
    "REGISTRY",
    "Capacities",
    "CommonInformation",
    "Comparison",
    "Interaction",
    "Measure",
    "Vulnerability",
    "arimoto_information",
    "basic_likeness",
    "capacities",
    "conditional_guessing_entropy",
    "conditional_hartley_entropy",
    "disclosure_delta",
    "distinct_anonymity",
    "dominates",
    "enhanced_likeness",
    "entropy",
    "entropy_diversity",
    "exact_common_information",
    "gacs_korner_information",
    "guessing_entropy",
    "guessing_leakage",
    "hartley_entropy",
    "hierarchical_closeness",
    "identifiability",
    "interactions",
    "largest_share",
    "least_uncertainty",
    "local_dp_epsilon",
    "maximal_alpha_leakage",
    "maximal_guessing_leakage",
    "maximal_leakage",
    "maximin_information",
    "measure",
    "metric_privacy",
    "min_entropy_leakage",
    "mutual_information",
    "ordered_closeness",
    "overlap_partition",
    "pronounced",
    "realisable_leakage",
    "record_anonymity",
    "recursive_diversity",
    "renyi_leakage",
    "shannon_capacity",
    "sibson_information",
    "t_closeness",
    "vulnerability",
    "worst_attribute",
    "worst_case_leakage",
    "wyner_information",
    "zero_information",
]
