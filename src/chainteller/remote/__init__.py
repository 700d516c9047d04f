"""The client of a deployment over HTTP, with the same interface as the embedded engine."""
