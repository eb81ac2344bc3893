"""The harness: it asks the pipeline, judges what comes back, scores and diagnoses."""
