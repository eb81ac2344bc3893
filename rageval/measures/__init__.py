"""Measures: pure functions of ranks and spans."""
