"""Retrievers: what indexes chunks and answers queries, one file a kind."""
