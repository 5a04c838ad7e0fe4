#include <string>
#include <string_view>

#include "ordering/report/report_json.h"

namespace overbite::ordering {

std::string html_page(const nlohmann::json& document) {
  std::string text = document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  // Inside a script element nothing may look like its end.
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
    text.replace(at, 1, "\\u003c");
  }
  constexpr std::string_view kPlace = "{{document}}";
  std::string page = kPageTemplate;
  return page.replace(page.find(kPlace), kPlace.size(), text);
}

}  // namespace overbite::ordering
