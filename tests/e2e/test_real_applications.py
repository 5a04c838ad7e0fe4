"""Whole applications, page by page: every byte and the end of every connection as under uvicorn."""

import sqlite3
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from overbite_conform.case import Case
from overbite_conform.differ import compare
from overbite_conform.player import REFUSED, Transcript, Windows, play
from overbite_conform.pytest_plugin import ServerFactory
from overbite_conform.servers import SLOW, Server
from overbite_conform.wire import chunked, post, request

APPS = Path(__file__).parent / "apps"
FORM = "Content-Type: application/x-www-form-urlencoded"
JSON = "Content-Type: application/json"
CLOSE = "Connection: close"
_BOUNDARY = (
    b'--XX\r\nContent-Disposition: form-data; name="kind"\r\n\r\ncat\r\n'
    b'--XX\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n'
    b"Content-Type: text/plain\r\n\r\nhello\r\n--XX--\r\n"
)

STARLETTE = {
    "home": request("/"),
    "HEAD": request("/", method="HEAD"),
    "home, closing": request("/", CLOSE),
    "home by 1.1 twice": request("/") + request("/json?a=1"),
    "json with query": request("/json?a=1&b=%C3%A9"),
    "json below a mount": request("/mounted/json?x=y"),
    "stream": request("/stream/5"),
    "stream of nothing": request("/stream/0"),
    "stream, HEAD": request("/stream/5", method="HEAD"),
    "stream, closing": request("/stream/3", CLOSE),
    "background": request("/background"),
    "form": post("/form", b"a=1&b=two+words", FORM),
    "form in parts": post("/form", _BOUNDARY, "Content-Type: multipart/form-data; boundary=XX"),
    "upload": post("/upload", b"z" * 300_000),
    "upload chunked": chunked("/upload", b"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"),
    "cookies": request("/cookies", "Cookie: c=3; d=4"),
    "redirect": request("/redirect"),
    "redirect for a slash": request("/json/"),
    "204": request("/nothing"),
    "304": request("/not-modified"),
    "403": request("/forbidden"),
    "404": request("/no/such/page"),
    "405": request("/", method="DELETE"),
    "exception": request("/failing"),
    "exception, HEAD": request("/failing", method="HEAD"),
    "exception in a stream": request("/failing-stream"),
    "headers": request("/headers", "X-A: 1", "X-A: 2", "Accept: */*"),
    "large": request("/large"),
    "large, gzip": request("/large", "Accept-Encoding: gzip"),
    "small, gzip not worth it": request("/", "Accept-Encoding: gzip"),
}

FASTAPI = {
    "lifespan state": request("/"),
    "sync": request("/sync/7?scale=6"),
    "async": request("/async/7?scale=6"),
    "validation error in path": request("/async/seven"),
    "validation error in query": request("/sync/7?scale=x"),
    "body": post("/items", b'{"name": "pen", "price": 1.5, "tags": ["a"]}', JSON),
    "validation error in body": post("/items", b'{"name": "p", "price": -1}', JSON),
    "body is not JSON": post("/items", b"{", JSON),
    "dependency": request("/me", "X-User: ada"),
    "dependency refuses": request("/me"),
    "plain text": request("/text"),
    "stream from a sync generator": request("/stream"),
    "delete": request("/items/3", method="DELETE"),
    "teapot": request("/teapot"),
    "404": request("/nothing/here"),
    "405": request("/text", method="POST"),
    "exception": request("/failing"),
    "OpenAPI document": request("/openapi.json"),
    "documentation page": request("/docs"),
    "second documentation page": request("/redoc"),
}

DATASETTE = {
    "index": request("/"),
    "index as JSON": request("/.json"),
    "database page": request("/zoo"),
    "table page": request("/zoo/animals"),
    "table sorted and filtered": request("/zoo/animals?_sort=name&weight__gt=5"),
    "table with facet": request("/zoo/animals?_facet=kind"),
    "table as array": request("/zoo/animals.json?_shape=array"),
    "table as lines": request("/zoo/animals.json?_shape=array&_nl=on"),
    "table as CSV": request("/zoo/animals.csv"),
    "table as streamed CSV": request("/zoo/animals.csv?_stream=on"),
    "row page": request("/zoo/animals/1"),
    "row as JSON": request("/zoo/animals/1.json?_shape=array"),
    "own SQL": request("/zoo?sql=select+count(*)+from+animals"),
    "own SQL as array": request("/zoo.json?sql=select+1+as+one&_shape=array"),
    "wrong SQL": request("/zoo?sql=selec"),
    "named query": request("/zoo/heavy?least=100"),
    "versions": request("/-/versions.json"),
    "settings": request("/-/settings.json"),
    "static file": request("/-/static/app.css"),
    "404": request("/nothing"),
    "missing table": request("/zoo/nothing"),
    "HEAD": request("/zoo/animals", method="HEAD"),
    "whole file": request("/zoo.db"),
}

FLASK = {
    "home": request("/"),
    "HEAD": request("/", method="HEAD"),
    "home, closing": request("/", CLOSE),
    "json with query": request("/json?a=1&b=2&a=3"),
    "path escapes": request("/greet/caf%C3%A9%20ole"),
    "form": post("/form", b"a=1&b=two+words", FORM),
    "form in parts": post("/form", _BOUNDARY, "Content-Type: multipart/form-data; boundary=XX"),
    "upload": post("/upload", b"z" * 300_000),
    "JSON body": post("/json-body", b'{"a": [1, 2]}', JSON),
    "JSON body, wrong type": post("/json-body", b"{}", FORM),
    "stream": request("/stream"),
    "cookies": request("/cookies", "Cookie: c=3; d=4"),
    "redirect": request("/redirect"),
    "204": request("/nothing"),
    "403": request("/forbidden"),
    "404": request("/no/such/page"),
    "405": request("/", method="DELETE"),
    "exception": request("/failing"),
    "headers": request("/headers", "X-A: 1", "Accept: */*"),
    "large": request("/large"),
    "OPTIONS": request("/form", method="OPTIONS"),
}

DJANGO = {
    "home": request("/"),
    "HEAD": request("/", method="HEAD"),
    "home, closing": request("/", CLOSE),
    "async view": request("/async"),
    "json with query": request("/json?a=1&b=%C3%A9&a=3"),
    "form": post("/form", b"a=1&b=two+words", FORM),
    "form in parts": post("/form", _BOUNDARY, "Content-Type: multipart/form-data; boundary=XX"),
    "upload": post("/upload", b"z" * 300_000),
    "stream": request("/stream"),
    "cookies": request("/cookies", "Cookie: c=3; d=4"),
    "redirect": request("/redirect"),
    "redirect for a slash": request("/slashed"),
    "204": request("/nothing"),
    "403": request("/forbidden"),
    "404": request("/no/such/page"),
    "exception": request("/failing"),
    "headers": request("/headers", "X-A: 1", "Accept: */*"),
    "not modified": request("/", 'If-None-Match: "d41d8cd98f00b204e9800998ecf8427e"'),
}


@dataclass(frozen=True, slots=True)
class Site:
    """An application, its pages, and the options both servers get for it."""

    app: str
    pages: Mapping[str, bytes]
    wsgi: bool = False

    def overbite_options(self) -> list[str]:
        # Byte equality needs the reference's faults too, and some of these applications show them:
        # DEFAULT_DIFFERENCES names where.
        return [*(["--interface", "wsgi"] if self.wsgi else []), "--quirks", "uvicorn"]

    def default_options(self) -> list[str]:
        return ["--interface", "wsgi"] if self.wsgi else []

    def uvicorn_options(self) -> list[str]:
        return ["--interface", "wsgi"] if self.wsgi else []


SITES = {
    "starlette": Site("starlette_site:app", STARLETTE),
    "fastapi": Site("fastapi_site:app", FASTAPI),
    "datasette": Site("datasette_site:app", DATASETTE),
    "django-asgi": Site("django_site:asgi", DJANGO),
    "flask-wsgi": Site("flask_site:app", FLASK, wsgi=True),
    "django-wsgi": Site("django_site:wsgi", DJANGO, wsgi=True),
}


def make_zoo(path: Path) -> None:
    """A small database with text, numbers, a foreign key and a view."""
    with sqlite3.connect(path) as connection:
        connection.executescript(
            """
            create table kinds (id integer primary key, name text);
            create table animals (id integer primary key, name text, weight real,
                                  kind integer references kinds(id));
            create view light as select * from animals where weight < 5;
            """
        )
        connection.executemany("insert into kinds values (?, ?)", [(1, "bird"), (2, "mammal")])
        animals = [(n, f"animal {n} \u00e9", 0.5 * n * n, 1 + n % 2) for n in range(1, 121)]
        connection.executemany("insert into animals values (?, ?, ?, ?)", animals)
    connection.close()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What both servers said to one page."""

    expected: Transcript
    actual: Transcript


Outcomes = dict[str, dict[str, Outcome]]


def play_site(site: Site, reference: Server, subject: Server) -> dict[str, Outcome]:
    """Asks both servers for every page, eight at a time, each on its own connection."""
    # A page may take long the first time: templates and documentation are built then.
    windows = Windows(first_byte=3.0, catch_up=10.0).scaled(SLOW)

    def ask(page: str) -> Outcome:
        case = Case(page, "wsgi" if site.wsgi else "asgi", (site.pages[page],))
        expected = play(case, reference.port, windows)
        return Outcome(expected, play(case, subject.port, windows, model=expected))

    with ThreadPoolExecutor(8) as pool:
        return dict(zip(site.pages, pool.map(ask, site.pages), strict=True))


@pytest.fixture(scope="module")
def outcomes(module_servers: ServerFactory, tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """The outcomes of a site, found when the first of its pages is asked for."""
    database = tmp_path_factory.mktemp("datasette") / "zoo.db"
    make_zoo(database)
    environment = {"DATASETTE_FILE": str(database)}

    class Played(Outcomes):
        def __missing__(self, name: str) -> dict[str, Outcome]:
            site_name = name.removesuffix(" by default")
            site = SITES[site_name]
            options = site.default_options() if name != site_name else site.overbite_options()
            where = {"app_dir": APPS, "env": environment}
            reference = module_servers.uvicorn(site.app, *site.uvicorn_options(), **where)
            subject = module_servers.overbite(site.app, *options, **where)
            self[name] = play_site(site, reference, subject)
            return self[name]

    return Played()


# Without quirks: the pages that show a fault of the reference, by the quirk's name.
DEFAULT_DIFFERENCES = {
    ("starlette", "exception"): "late-error-closes",
    ("starlette", "exception, HEAD"): "late-error-closes",
    ("fastapi", "exception"): "late-error-closes",
    ("datasette", "whole file"): "length-and-chunked",
    ("django-asgi", "204"): "body-with-204",
}

PAGES = [(site, page) for site, content in SITES.items() for page in content.pages]


@pytest.mark.parametrize(("site", "page"), PAGES, ids=[f"{site}: {page}" for site, page in PAGES])
def test_page_is_the_same_as_under_uvicorn(outcomes: Outcomes, site: str, page: str) -> None:
    outcome = outcomes[site][page]
    assert not outcome.expected.end.startswith(REFUSED), outcome.expected.end
    assert outcome.expected.data, f"uvicorn gave no answer to {page!r}"
    difference = compare(outcome.expected, outcome.actual)
    assert not difference, f"{site}: {page}\n{difference.text}"


ASGI_PAGES = [(site, page) for site, page in PAGES if not SITES[site].wsgi]


@pytest.mark.parametrize(
    ("site", "page"), ASGI_PAGES, ids=[f"{site}: {page}" for site, page in ASGI_PAGES]
)
def test_page_differs_by_default_only_where_the_reference_is_wrong(
    outcomes: Outcomes, site: str, page: str
) -> None:
    outcome = outcomes[f"{site} by default"][page]
    difference = compare(outcome.expected, outcome.actual)
    if (site, page) in DEFAULT_DIFFERENCES:
        assert difference, f"{site}: {page} no longer differs: take it off DEFAULT_DIFFERENCES"
    else:
        assert not difference, f"{site}: {page}\n{difference.text}"
