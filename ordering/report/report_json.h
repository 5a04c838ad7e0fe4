// A failing execution as JSON, complete: docs/ordering-json.md says what is in it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "ordering/report/history.h"
#include "ordering/report/source_lines.h"
#include "ordering/report/timeline.h"

namespace overbite::ordering {

inline constexpr int kJsonSchema = 1;

nlohmann::json failure_json(const History& history,
                            const SourceLookup& lines,
                            const Timeline& timeline);

// One HTML page that needs nothing else, for a document as in docs/ordering-json.md.
std::string html_page(const nlohmann::json& document);

// report/page.html; the document goes where it says {{document}}.
extern const char* const kPageTemplate;

}  // namespace overbite::ordering
