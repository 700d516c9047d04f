"""Whether a database is what its log says."""
