// The build id of a library on disk, to compare with the one a test says it has loaded.
#pragma once

#include <filesystem>
#include <string>

namespace overbite::sabotage {

// NT_GNU_BUILD_ID of a 64-bit ELF file of this machine's byte order, in lower-case hex. Throws
// Failure(kInternal) when it is no such file or has no build id (link with -Wl,--build-id).
std::string read_build_id(const std::filesystem::path& library);

}  // namespace overbite::sabotage
