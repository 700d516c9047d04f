"""The HTTP service: FastAPI on uvicorn, imported by ``serve`` alone."""
