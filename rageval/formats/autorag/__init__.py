"""AutoRAG."""
