"""Golden sets written in other formats; each says what it could not keep."""
