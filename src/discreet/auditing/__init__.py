"""The audit: every measure of one table, with its witnesses and requirements."""

from discreet.auditing._audit import Audit, ColumnPart, Homogeneity, audit, audit_joint
from discreet.auditing._requirements import Finding, Group, Requirement

__all__ = ["Audit", "ColumnPart", "Finding", "Group", "Homogeneity", "Requirement", "audit", "audit_joint"]
