"""Request targets: escapes, absolute form, asterisk, and bytes that may not stand in one."""

from overbite_conform.case import CaseTable
from overbite_conform.wire import request

TABLE = CaseTable("asgi")

_TARGETS = {
    "escape": "/path/a%20b%2Fc",
    "escape utf8": "/path/caf%C3%A9",
    "escape bad": "/path/%zz%4",
    "escape invalid utf8": "/path/%ff%fe",
    "escape cut utf8": "/path/%c3/%e2%82",
    "escape nul": "/path/%00x",
    "escape lower": "/path/%c3%a9%7e",
    "escape question": "/path/a%3Fb?c%3Dd",
    "escape percent": "/path/%2525",
    "dots": "/path/../x/./y",
    "double slash": "//path//x",
    "semicolon": "/path;a=b/x",
    "plus": "/path/a+b?c+d",
    "query empty": "/path?",
    "query multi": "/path?a=1&b=%20&c",
    "query with question mark": "/path?a?b",
    "fragment": "/path?a=1#frag",
    "fragment without query": "/path#frag",
    "absolute": "http://example.com/path/x?y=1",
    "absolute with port": "http://example.com:8080/path",
    "absolute without path": "http://example.com",
    "absolute https": "https://example.com/path",
    "absolute query only": "http://example.com?x=1",
    "absolute userinfo": "http://u:p@example.com/path",
    "absolute ftp": "ftp://example.com/path",
    "relative": "path/x",
    "star GET": "*",
    "quotes": '/path/"<>`{}|\\^',
    "tilde": "/path/~a!$&'()*,=:@",
    "latin1": "/path/caf\xe9",
    "utf8 raw": "/path/caf\xc3\xa9",
    "utf8 raw query": "/path?caf\xc3\xa9",
    "control": "/path/a\x01b",
    "nul in query": "/path?\0",
    "del": "/path/a\x7fb",
    "colon first": "/path:80/x",
    "at": "/path@x/y",
    "authority": "example.com:80",
}
for _name, _target in _TARGETS.items():
    TABLE.add(f"target: {_name}", request(_target))
TABLE.add("target: star OPTIONS", request("*", method="OPTIONS"))
