"""Putting the parts together: the plan of an evaluation, its run, measuring again, gating."""
