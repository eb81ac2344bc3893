"""Folders of Markdown."""
