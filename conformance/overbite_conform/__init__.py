"""Byte-for-byte comparison of an ASGI/WSGI server with uvicorn: cases, player, differ, verdicts."""

__version__ = "0.1.0"
