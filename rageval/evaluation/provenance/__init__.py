"""What a result rests on: its benchmark, its retrieval, and the state of the working copy."""
