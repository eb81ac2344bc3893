"""Judging: labels found in the corpus, and which chunks of a chunking support them."""
