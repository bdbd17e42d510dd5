"""Whole tables: several public columns coarsened together, at a small average loss with a proven bound (TABLES.md)."""

from discreet.search.tables._cluster_outcome import ClusterRelease
from discreet.search.tables._cluster_release import release_on_cluster
from discreet.search.tables._columns import Column
from discreet.search.tables._generalisation import Generalisation
from discreet.search.tables._generalise import generalise
from discreet.search.tables._letters import Letters, Sensitive
from discreet.search.tables._loss import Grouping, cell_costs, measured
from discreet.search.tables._requirements import Requirement
from discreet.search.tables._search import generalise_letters
from discreet.search.tables._table_frontier import TableFrontier, table_frontier, table_frontiers
from discreet.search.tables._workbench import Workbench

__all__ = [
    "ClusterRelease",
    "Column",
    "Generalisation",
    "Grouping",
    "Letters",
    "Requirement",
    "Sensitive",
    "TableFrontier",
    "Workbench",
    "cell_costs",
    "generalise",
    "generalise_letters",
    "measured",
    "release_on_cluster",
    "table_frontier",
    "table_frontiers",
]
