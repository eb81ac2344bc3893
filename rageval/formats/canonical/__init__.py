"""Our own format of golden sets."""
