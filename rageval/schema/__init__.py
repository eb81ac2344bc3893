"""Types, names and fingerprints that every other room uses."""
