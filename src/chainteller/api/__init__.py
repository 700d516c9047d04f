"""The HTTP service: Starlette on uvicorn; imported only by ``serve``."""
