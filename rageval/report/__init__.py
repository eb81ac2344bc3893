"""Reports: tables, pages and pictures of an evaluation."""
