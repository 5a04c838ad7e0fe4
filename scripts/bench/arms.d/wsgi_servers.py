"""Starts bjoern or fastwsgi, which have no command line that fits: wsgi_servers.py NAME PORT."""

from __future__ import annotations

import sys
from importlib import import_module

from app import wsgi

if sys.argv[1] == "fastwsgi":
    import_module("fastwsgi").run(wsgi_app=wsgi, host="127.0.0.1", port=int(sys.argv[2]))
else:
    import_module("bjoern").run(wsgi, "127.0.0.1", int(sys.argv[2]))
