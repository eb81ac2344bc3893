"""TREC files: judgements, runs and topics, read as trec_eval reads them."""
