"""Reports and pictures: one self-contained page each, and what a notebook shows.

`figure` begins a picture in the style of the others, with their colours, and `save_figure` writes it.
"""

from discreet.report._plots import ACCENT, INK, PALE, WARN, figure, save_figure

__all__ = ["ACCENT", "INK", "PALE", "WARN", "figure", "save_figure"]
