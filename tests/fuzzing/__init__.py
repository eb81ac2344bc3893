"""Damaged files and strange command lines: each is read, or refused with a sentence."""
