"""What a retriever from outside returns: hits, and the places in the corpus that they name."""
