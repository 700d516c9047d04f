"""A deployment reached over HTTP, behind the same interface as the embedded engine."""
