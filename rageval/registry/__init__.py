"""The model registry: what was promoted, by whom, and why."""
