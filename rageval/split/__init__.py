"""Which side of the split a question is on, and the lock that keeps it there."""
