// Reason phrases of the running interpreter.
#pragma once

#include "server/base/result.h"
#include "server/http/reason.h"

namespace overbite::python {

// Fills `table` from http.client.responses. Attached.
base::Result<> load_reason_phrases(http::ReasonTable& table);

}  // namespace overbite::python
