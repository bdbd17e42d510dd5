"""Perfect sample privacy: disclose what samples say together, and nothing about any one of them [SP].

`disclose` finds the best mapping for a pmf, `disclose_types` for exchangeable samples, `from_table` for the columns of a
table. `partial_processing`, `uniform_masks` and the quantile constructions are for long data sets; `analyse` says
beforehand what is possible, `private_information` and its neighbours what ever more samples allow, and `make_problem` with
`enumerate_vertices` gives the extreme points of the polytope itself.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.sample_privacy._analysis import analyse, leak, windows_of
    from discreet.sample_privacy._disclosing import disclose, disclose_types, from_table
    from discreet.sample_privacy._disclosure import Disclosure
    from discreet.sample_privacy._estimating import estimate, leak_bound
    from discreet.sample_privacy._explicit_mappings import (
        Uniformiser,
        asymptotic_efficiency,
        two_binary_samples,
        universal_mapping,
    )
    from discreet.sample_privacy._leak_bounds import fresh_leak_bound
    from discreet.sample_privacy._limits import (
        Capacity,
        Convergence,
        Schemes,
        all_information,
        compare_schemes,
        disclosed_information,
        efficiencies,
        full_data,
        known_latent_information,
        merge_latent,
        output_perturbation,
        private_information,
        self_disclosure_rate,
    )
    from discreet.sample_privacy._masks import uniform_masks
    from discreet.sample_privacy._partial_processing import partial_processing
    from discreet.sample_privacy._problem import Problem, Program, make_problem
    from discreet.sample_privacy._processes import Independent, MarkovChain
    from discreet.sample_privacy._quantiles import quantile_columns, quantile_sequence
    from discreet.sample_privacy._vertices import enumerate_vertices, exhaustive_vertices

_WHERE = {
    "Capacity": "_limits",
    "Convergence": "_limits",
    "Disclosure": "_disclosure",
    "Independent": "_processes",
    "MarkovChain": "_processes",
    "Problem": "_problem",
    "Program": "_problem",
    "Schemes": "_limits",
    "Uniformiser": "_explicit_mappings",
    "all_information": "_limits",
    "analyse": "_analysis",
    "asymptotic_efficiency": "_explicit_mappings",
    "compare_schemes": "_limits",
    "disclose": "_disclosing",
    "disclose_types": "_disclosing",
    "disclosed_information": "_limits",
    "efficiencies": "_limits",
    "enumerate_vertices": "_vertices",
    "estimate": "_estimating",
    "exhaustive_vertices": "_vertices",
    "fresh_leak_bound": "_leak_bounds",
    "from_table": "_disclosing",
    "full_data": "_limits",
    "known_latent_information": "_limits",
    "leak": "_analysis",
    "leak_bound": "_estimating",
    "make_problem": "_problem",
    "merge_latent": "_limits",
    "output_perturbation": "_limits",
    "partial_processing": "_partial_processing",
    "private_information": "_limits",
    "quantile_columns": "_quantiles",
    "quantile_sequence": "_quantiles",
    "self_disclosure_rate": "_limits",
    "two_binary_samples": "_explicit_mappings",
    "uniform_masks": "_masks",
    "universal_mapping": "_explicit_mappings",
    "windows_of": "_analysis",
}

__all__ = [
    "Capacity",
    "Convergence",
    "Disclosure",
    "Independent",
    "MarkovChain",
    "Problem",
    "Program",
    "Schemes",
    "Uniformiser",
    "all_information",
    "analyse",
    "asymptotic_efficiency",
    "compare_schemes",
    "disclose",
    "disclose_types",
    "disclosed_information",
    "efficiencies",
    "enumerate_vertices",
    "estimate",
    "exhaustive_vertices",
    "fresh_leak_bound",
    "from_table",
    "full_data",
    "known_latent_information",
    "leak",
    "leak_bound",
    "make_problem",
    "merge_latent",
    "output_perturbation",
    "partial_processing",
    "private_information",
    "quantile_columns",
    "quantile_sequence",
    "self_disclosure_rate",
    "two_binary_samples",
    "uniform_masks",
    "universal_mapping",
    "windows_of",
]


def __getattr__(name: str) -> object:
    if name not in _WHERE:
        raise AttributeError(f"module 'discreet.sample_privacy' has no attribute {name!r}")
    return getattr(importlib.import_module(f"discreet.sample_privacy.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
