"""Verbs: one module each, with `run(composed) -> exit code`."""
