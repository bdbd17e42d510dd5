"""Perfect sample privacy: disclose what samples say together, and nothing about any one of them [SP].

`disclose` finds the best mapping for a pmf, `disclose_types` for exchangeable samples, `from_table` for the columns of a
table. `partial_processing`, `uniform_masks` and the quantile constructions are for long data sets; `analyse` says
beforehand what is possible.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.sample_privacy._analysis import analyse, leak, windows_of
    from discreet.sample_privacy._disclosing import Disclosure, disclose, disclose_types
    from discreet.sample_privacy._estimating import estimate, leak_bound
    from discreet.sample_privacy._explicit_mappings import two_binary_samples, universal_mapping
    from discreet.sample_privacy._leak_bounds import fresh_leak_bound
    from discreet.sample_privacy._masks import uniform_masks
    from discreet.sample_privacy._partial_processing import partial_processing
    from discreet.sample_privacy._processes import Independent, MarkovChain
    from discreet.sample_privacy._quantiles import quantile_columns, quantile_sequence
    from discreet.sample_privacy._schemes import compare_schemes, efficiencies
    from discreet.sample_privacy._tabled import from_table

_WHERE = {
    "Disclosure": "disclosing",
    "Independent": "processes",
    "MarkovChain": "processes",
    "analyse": "analysis",
    "compare_schemes": "schemes",
    "disclose": "disclosing",
    "disclose_types": "disclosing",
    "efficiencies": "schemes",
    "estimate": "estimating",
    "fresh_leak_bound": "leak_bounds",
    "from_table": "tabled",
    "leak": "analysis",
    "leak_bound": "estimating",
    "partial_processing": "windows",
    "quantile_columns": "quantiles",
    "quantile_sequence": "quantiles",
    "two_binary_samples": "closed_forms",
    "uniform_masks": "masks",
    "universal_mapping": "closed_forms",
    "windows_of": "analysis",
}

__all__ = [
    "Disclosure",
    "Independent",
    "MarkovChain",
    "analyse",
    "compare_schemes",
    "disclose",
    "disclose_types",
    "efficiencies",
    "estimate",
    "fresh_leak_bound",
    "from_table",
    "leak",
    "leak_bound",
    "partial_processing",
    "quantile_columns",
    "quantile_sequence",
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
