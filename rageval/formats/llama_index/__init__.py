"""LlamaIndex."""
