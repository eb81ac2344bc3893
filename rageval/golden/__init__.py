"""Golden sets: questions with their labels, and the formats they are kept in."""
