"""Golden sets for tools that measure the quality of search."""
