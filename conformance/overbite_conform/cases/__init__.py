"""All cases, as data. Each module holds one subject and a table; this one puts the tables
together."""

from overbite_conform.case import Case
from overbite_conform.cases import (
    bodies,
    failures,
    framing,
    malformed,
    ordinary,
    persistence,
    response_headers,
    scope,
    smuggling,
    statuses,
    targets,
    websocket,
    wsgi,
)

_TABLES = (
    ordinary.TABLE,
    statuses.TABLE,
    failures.TABLE,
    response_headers.TABLE,
    framing.TABLE,
    persistence.TABLE,
    bodies.TABLE,
    malformed.TABLE,
    smuggling.TABLE,
    targets.TABLE,
    scope.TABLE,
    websocket.TABLE,
    wsgi.TABLE,
)


def _join() -> dict[str, Case]:
    joined: dict[str, Case] = {}
    for table in _TABLES:
        if twice := joined.keys() & table.cases.keys():
            raise ValueError(f"case names used in two tables: {sorted(twice)}")
        joined |= table.cases
    return joined


ALL: dict[str, Case] = _join()
"""Every case by name, ASGI and WSGI."""
