"""Work that no caller asks for: what is due, and the worker that does it."""
