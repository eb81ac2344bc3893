"""What must not leave as it is: secrets, and characters that a terminal or a page would obey."""
