"""The auditor: many deterministic answers about one data set, and everybody keeps an interval (AUDITOR.md)."""

from discreet.queries.auditor._auditor import Auditor

__all__ = ["Auditor"]
