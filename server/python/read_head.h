// The application's head, read through the C API: one pass that sizes, refuses and dispatches on
// the raw spans, one that copies into a single block. The list crosses untouched up to here.
//
// Attached. On false a Python exception is set and `out` is unspecified; nothing was written
// anywhere.
#pragma once

#include "server/http/quirks.h"
#include "server/http/response_head.h"
#include "server/python/refs.h"

namespace overbite::python {

// ASGI: `status` an int (its subclasses too) in 100..599, else KeyError as in the reference;
// `headers` an iterable of (name, value), each pair any sequence of two, each of them bytes or
// bytearray (reference: str, memoryview, int and triples raise TypeError / AttributeError /
// ValueError). Refused fields raise RuntimeError with http::refusal_message(). A list or tuple is
// read in place by borrowed references; anything else is first made a list.
bool read_asgi_head(Borrowed status, Borrowed headers, http::ResponseHead& out);

// WSGI: `status_line` a str "404 Not Found" (no blank: ValueError); `headers` a list of (str, str),
// names and values stripped of blanks and encoded latin-1 as a2wsgi does. The reason phrase given
// is kept unless quirks.wsgi_standard_reason. Refusals raise RuntimeError.
bool read_wsgi_head(Borrowed status_line,
                    Borrowed headers,
                    const http::Quirks& quirks,
                    http::ResponseHead& out);

}  // namespace overbite::python
