"""Formats of golden sets, corpora and exports: a package a format."""
