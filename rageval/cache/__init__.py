"""Cache: each result computed once, kept under a digest of exactly what it depends on."""
