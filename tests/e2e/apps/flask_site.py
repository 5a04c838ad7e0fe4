"""A Flask application (WSGI)."""

from collections.abc import Iterator

from flask import Flask, Response, abort, jsonify, make_response, redirect, request

app = Flask(__name__)
app.config["SECRET_KEY"] = "not a secret: tests only"


@app.get("/")
def home() -> str:
    return "home\n"


@app.get("/json")
def json_page() -> Response:
    return jsonify(path=request.path, query=request.args.to_dict(flat=False))


@app.get("/greet/<name>")
def greet(name: str) -> str:
    return f"<p>hello {name}</p>\n"


@app.post("/form")
def form() -> Response:
    return jsonify(request.form.to_dict())


@app.post("/upload")
def upload() -> str:
    return f"{len(request.get_data())} bytes\n"


@app.post("/json-body")
def json_body() -> Response:
    return jsonify(got=request.get_json())


@app.get("/stream")
def stream() -> Response:
    def pieces() -> Iterator[str]:
        for number in range(5):
            yield f"piece {number}\n"

    return Response(pieces(), mimetype="text/plain")


@app.get("/cookies")
def cookies() -> Response:
    response = make_response(jsonify(dict(request.cookies)))
    response.set_cookie("a", "1")
    response.set_cookie("b", "2", httponly=True)
    return response


@app.get("/redirect")
def go() -> Response:
    return redirect("/json?from=redirect", code=302)


@app.get("/nothing")
def nothing() -> tuple[str, int]:
    return "", 204


@app.get("/forbidden")
def forbidden() -> None:
    abort(403)


@app.get("/failing")
def failing() -> None:
    raise RuntimeError("the view failed")


@app.get("/headers")
def headers() -> Response:
    return jsonify(sorted([name, value] for name, value in request.headers if name != "Host"))


@app.get("/large")
def large() -> Response:
    return Response(b"0123456789abcdef" * 16384, mimetype="application/octet-stream")
