"""Golden sets of any shape, read by a mapping of names."""
