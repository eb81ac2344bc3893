"""What the claims about speed and quality rest on: each module prints its table."""
