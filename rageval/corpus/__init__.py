"""Corpora: documents with the groups that may see them, and the formats they are kept in."""
