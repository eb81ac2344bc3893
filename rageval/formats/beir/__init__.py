"""BEIR."""
