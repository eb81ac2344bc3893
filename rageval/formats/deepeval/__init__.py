"""DeepEval."""
