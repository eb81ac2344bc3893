"""Encoders: what turns texts into vectors, one file a kind."""
