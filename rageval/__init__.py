"""Measure retrieval alone: tracked, reproducible, paired comparisons that can fail a build."""

__version__ = "0.2.0.dev0"
