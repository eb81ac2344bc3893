"""Held-out questions: scored rarely, against a budget, and told as overall values alone."""
