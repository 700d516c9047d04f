"""HTTP client of a deployment, with the same interface as the embedded engine."""
