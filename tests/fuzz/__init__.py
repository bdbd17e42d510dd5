"""Seeded command lines over whole and damaged files, run in this process, and what must never happen whatever is typed."""
