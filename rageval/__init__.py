"""Measure retrieval alone: tracked, reproducible, paired comparisons that can fail a build."""

__version__ = "0.1.0"
