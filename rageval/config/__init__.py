"""Configuration: from what Hydra composes to checked values and built components."""
