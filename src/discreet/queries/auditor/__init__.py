"""The auditor: many deterministic answers about one data set, and everybody keeps an interval (AUDITOR.md)."""

from discreet.queries.auditor._auditor import Auditor
from discreet.queries.auditor._category_auditor import CategoryAuditor
from discreet.queries.auditor._transcript import Price, Reply

__all__ = ["Auditor", "CategoryAuditor", "Price", "Reply"]
