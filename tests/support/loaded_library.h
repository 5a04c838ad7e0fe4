// Which copy of a shared library this process really runs: the proof that a sabotage variant, and
// not the good library, was under the test.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace overbite::support {

inline constexpr std::string_view kServerLibrary = "liboverbite_server.so";
inline constexpr std::string_view kExplorerLibrary = "liboverbite_ordering.so";

struct LoadedLibrary {
  std::string path;      // absolute, symbolic links resolved; of the file mapped at load time
  std::string build_id;  // NT_GNU_BUILD_ID in lower-case hex; empty if the library has none
};

// Looks through the objects the dynamic loader has mapped (dl_iterate_phdr(3)) for one whose file
// name is `file_name`. Empty if this process has not loaded it. Any thread.
std::optional<LoadedLibrary> find_loaded_library(std::string_view file_name);

// "overbite-library: <path> <build id>", or "overbite-library: none -" without the library; no
// newline. The sabotage runner reads exactly this line.
std::string loaded_library_line(std::string_view file_name = kServerLibrary);

}  // namespace overbite::support
