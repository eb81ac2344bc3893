"""The questions of ADR-072."""
