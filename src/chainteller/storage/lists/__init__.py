"""Pages, totals and the search behind every list."""
