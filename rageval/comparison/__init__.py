"""Comparison: two results, paired by question."""
