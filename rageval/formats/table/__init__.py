"""Tables with a row a question."""
