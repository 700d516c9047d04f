"""Checks of any deployment against the sentences of the specification."""
