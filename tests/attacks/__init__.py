"""Attempts to get a wrong verdict through the command line, each with the answer that is right."""
