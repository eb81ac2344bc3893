"""Sweeps: many cells in one process, one parent run, nothing computed or run twice."""
