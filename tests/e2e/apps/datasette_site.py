"""Datasette over the SQLite file named by $DATASETTE_FILE, with everything that depends on time
off."""

import os
from pathlib import Path

from datasette.app import Datasette

datasette = Datasette(
    immutables=[os.environ["DATASETTE_FILE"]],
    metadata={
        "title": "Overbite test data",
        "databases": {
            "zoo": {
                "queries": {
                    "heavy": {
                        "sql": "select name, weight from animals where weight > :least",
                        "title": "Heavy animals",
                    }
                }
            }
        },
    },
    # The footer says how many milliseconds the queries took; ours does not.
    template_dir=str(Path(__file__).parent / "datasette_templates"),
    secret="not a secret: tests only",
    settings={
        "sql_time_limit_ms": 60_000,
        "facet_time_limit_ms": 60_000,
        "suggest_facets": False,
        "cache_size_kb": 0,
    },
)
app = datasette.app()
