"""Reports and pictures: one self-contained page each, and what a notebook shows."""
