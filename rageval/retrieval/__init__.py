"""From chunks to the window: retrievers, encoders, analysis, the pipeline."""
