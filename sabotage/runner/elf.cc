#include "sabotage/runner/elf.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include "sabotage/runner/failure.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

namespace fs = std::filesystem;

// The T that starts at `offset`, or a failure when the file ends before.
template <typename T>
T read_at(std::string_view bytes, std::size_t offset, const fs::path& library) {
  T value;
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) {
    throw Failure(Exit::kInternal, library.string() + " is cut short");
  }
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

constexpr std::size_t padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

// The descriptor of the build id's note among `notes`, or "".
std::string_view find_build_id(std::string_view notes, const fs::path& library) {
  for (std::size_t at = 0; at + sizeof(Elf64_Nhdr) <= notes.size();) {
    const auto header = read_at<Elf64_Nhdr>(notes, at, library);
    const std::size_t name_at = at + sizeof header;
    const std::size_t bytes_at = name_at + padded(header.n_namesz);
    if (bytes_at + header.n_descsz > notes.size()) {
      break;
    }
    if (header.n_type == NT_GNU_BUILD_ID &&
        notes.substr(name_at, header.n_namesz) == std::string_view("GNU", 4)) {
      return notes.substr(bytes_at, header.n_descsz);
    }
    at = bytes_at + padded(header.n_descsz);
  }
  return {};
}

}  // namespace

std::string read_build_id(const fs::path& library) {
  const std::string bytes = read_file(library);
  const auto header = read_at<Elf64_Ehdr>(bytes, 0, library);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
    throw Failure(Exit::kInternal, library.string() + " is no 64-bit ELF file");
  }
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const auto segment =
        read_at<Elf64_Phdr>(bytes, header.e_phoff + i * header.e_phentsize, library);
    if (segment.p_type != PT_NOTE || segment.p_offset > bytes.size()) {
      continue;
    }
    const std::string_view notes =
        std::string_view(bytes).substr(segment.p_offset, segment.p_filesz);
    std::string hex;
    for (const char byte : find_build_id(notes, library)) {
      hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    }
    if (!hex.empty()) {
      return hex;
    }
  }
  throw Failure(Exit::kInternal,
                library.string() + " has no build id: link with -Wl,--build-id=sha1");
}

}  // namespace overbite::sabotage
