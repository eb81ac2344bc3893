"""A page on this machine to judge candidates with, without a mouse."""
