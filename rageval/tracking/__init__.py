"""Tracking: the only package, with the registry, that knows MLflow."""
