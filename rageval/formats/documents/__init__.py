"""A folder of documents of several kinds, each of which becomes Markdown."""
