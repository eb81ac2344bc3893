"""Statistics of paired results: pure functions of numpy arrays and counts."""
