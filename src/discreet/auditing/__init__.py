"""The audit: every measure of one table, with its witnesses and requirements."""

from discreet.auditing._audit import Audit, ColumnPart, Homogeneity
from discreet.auditing._group_requirements import GroupFinding, GroupRequirement
from discreet.auditing._individual import HouseholdRisk, individual_risk
from discreet.auditing._measuring import audit, audit_joint
from discreet.auditing._population import Population
from discreet.auditing._requirements import Finding, Group, Requirement
from discreet.auditing._risk import Risk
from discreet.auditing._special import Special, special
from discreet.auditing._threats import Threat, ThreatFinding, load_threats

__all__ = [
    "Audit",
    "ColumnPart",
    "Finding",
    "Group",
    "GroupFinding",
    "GroupRequirement",
    "Homogeneity",
    "HouseholdRisk",
    "Population",
    "Requirement",
    "Risk",
    "Special",
    "Threat",
    "ThreatFinding",
    "audit",
    "audit_joint",
    "individual_risk",
    "load_threats",
    "special",
]
