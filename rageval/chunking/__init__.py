"""Chunking: the ways to cut documents into spans."""
