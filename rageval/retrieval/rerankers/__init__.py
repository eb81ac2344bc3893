"""Rerankers: they order the candidates of a first stage again."""
