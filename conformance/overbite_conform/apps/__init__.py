"""The applications that both servers run: probe_asgi.app and probe_wsgi.app."""
