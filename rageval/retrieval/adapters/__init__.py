"""Retrievers that ask an engine, a service or a framework; one file each."""
