"""The algorithms of [AC, V], replicated with their ties, near-linear: one module to a kernel."""
