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
    "Disclosure": "_disclosing",
    "Independent": "_processes",
    "MarkovChain": "_processes",
    "analyse": "_analysis",
    "compare_schemes": "_schemes",
    "disclose": "_disclosing",
    "disclose_types": "_disclosing",
    "efficiencies": "_schemes",
    "estimate": "_estimating",
    "fresh_leak_bound": "_leak_bounds",
    "from_table": "_tabled",
    "leak": "_analysis",
    "leak_bound": "_estimating",
    "partial_processing": "_partial_processing",
    "quantile_columns": "_quantiles",
    "quantile_sequence": "_quantiles",
    "two_binary_samples": "_explicit_mappings",
    "uniform_masks": "_masks",
    "universal_mapping": "_explicit_mappings",
    "windows_of": "_analysis",
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
