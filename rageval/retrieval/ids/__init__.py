"""What the ids of a retriever's own stand for: id maps."""
