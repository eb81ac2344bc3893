"""TREC runs and judgements on their own, by id."""
