"""SQuAD."""
