"""A Django project in one file, by both interfaces: django_site:wsgi and django_site:asgi."""

from collections.abc import AsyncIterator, Iterator

import django
from django.conf import settings
from django.core.asgi import get_asgi_application
from django.core.handlers.asgi import ASGIRequest
from django.core.wsgi import get_wsgi_application
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseForbidden,
    HttpResponseRedirect,
    JsonResponse,
    StreamingHttpResponse,
)
from django.urls import path

settings.configure(
    SECRET_KEY="not a secret: tests only",
    DEBUG=False,
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    MIDDLEWARE=[
        "django.middleware.security.SecurityMiddleware",
        "django.middleware.http.ConditionalGetMiddleware",
        "django.middleware.common.CommonMiddleware",
    ],
    USE_TZ=True,
)
django.setup()


def home(request: HttpRequest) -> HttpResponse:
    return HttpResponse("home\n", content_type="text/plain")


async def asynchronous(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"async": True, "path": request.path})


def json_page(request: HttpRequest) -> HttpResponse:
    return JsonResponse({"query": dict(request.GET.lists()), "full": request.get_full_path()})


def form(request: HttpRequest) -> HttpResponse:
    return JsonResponse(dict(request.POST.items()))


def upload(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"{len(request.body)} bytes\n")


def stream(request: HttpRequest) -> HttpResponse:
    async def async_pieces() -> AsyncIterator[bytes]:
        for number in range(5):
            yield b"piece %d\n" % number

    def pieces() -> Iterator[bytes]:
        for number in range(5):
            yield b"piece %d\n" % number

    asynchronous_request = isinstance(request, ASGIRequest)
    return StreamingHttpResponse(async_pieces() if asynchronous_request else pieces())


def cookies(request: HttpRequest) -> HttpResponse:
    response = JsonResponse(dict(sorted(request.COOKIES.items())))
    response.set_cookie("a", "1")
    response.set_cookie("b", "2", httponly=True)
    return response


def redirect(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect("/json?from=redirect")


def nothing(request: HttpRequest) -> HttpResponse:
    return HttpResponse(status=204)


def forbidden(request: HttpRequest) -> HttpResponse:
    return HttpResponseForbidden("not for you\n")


def failing(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("the view failed")


def headers(request: HttpRequest) -> HttpResponse:
    shown = sorted([k, v] for k, v in request.headers.items() if k != "Host")
    return JsonResponse(shown, safe=False)


urlpatterns = [
    path("", home),
    path("async", asynchronous),
    path("json", json_page),
    path("form", form),
    path("upload", upload),
    path("stream", stream),
    path("cookies", cookies),
    path("redirect", redirect),
    path("nothing", nothing),
    path("forbidden", forbidden),
    path("failing", failing),
    path("headers", headers),
    path("slashed/", home),
]

wsgi = get_wsgi_application()
asgi = get_asgi_application()
