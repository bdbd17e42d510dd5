"""The audit: every measure of one table, with its witnesses and requirements."""

from discreet.auditing._audit import Audit, ColumnPart, Homogeneity, audit, audit_joint
from discreet.auditing._group_requirements import GroupFinding, GroupRequirement
from discreet.auditing._requirements import Finding, Group, Requirement
from discreet.auditing._risk import Risk

__all__ = [
    "Audit",
    "ColumnPart",
    "Finding",
    "Group",
    "GroupFinding",
    "GroupRequirement",
    "Homogeneity",
    "Requirement",
    "Risk",
    "audit",
    "audit_joint",
]
