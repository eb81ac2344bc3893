"""Ragas."""
