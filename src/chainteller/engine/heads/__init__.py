"""Signed heads of the logs, and the keys that sign."""
