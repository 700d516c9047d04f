"""The HTTP service: Starlette on uvicorn, imported by ``serve`` alone."""
