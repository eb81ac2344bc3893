"""Files as text, nodes and rows, with their limits and the errors that name file and line."""
