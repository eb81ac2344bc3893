"""The library: an evaluation, a comparison and a gate without Hydra, MLflow or files."""
