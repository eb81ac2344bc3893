"""The gate: a candidate against its baseline and the committed thresholds."""
