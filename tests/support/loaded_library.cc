#include "tests/support/loaded_library.h"

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstring>
#include <filesystem>
#include <span>
#include <system_error>

namespace overbite::support {
namespace {

struct Search {
  std::string_view file_name;
  std::optional<LoadedLibrary> found;
};

// ELF pads the name and the descriptor of a note to four bytes each.
constexpr std::size_t padded(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

std::string to_hex(std::span<const unsigned char> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

// The build id in one PT_NOTE segment, or "" when it holds other notes only.
std::string build_id_in_notes(std::span<const unsigned char> notes) {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) header;
    std::memcpy(&header, notes.data(), sizeof header);
    const std::size_t name_at = sizeof header;
    const std::size_t bytes_at = name_at + padded(header.n_namesz);
    const std::size_t next_at = bytes_at + padded(header.n_descsz);
    if (next_at > notes.size()) {
      break;
    }
    const bool gnu = header.n_namesz == 4 && std::memcmp(&notes[name_at], "GNU", 4) == 0;
    if (gnu && header.n_type == NT_GNU_BUILD_ID) {
      return to_hex(notes.subspan(bytes_at, header.n_descsz));
    }
    notes = notes.subspan(next_at);
  }
  return {};
}

std::string build_id_of(const dl_phdr_info& object) {
  for (const ElfW(Phdr) & segment : std::span(object.dlpi_phdr, object.dlpi_phnum)) {
    if (segment.p_type != PT_NOTE) {
      continue;
    }
    // The loader hands out addresses as integers: this is the one place that turns them back.
    const auto* start =
        reinterpret_cast<const unsigned char*>(object.dlpi_addr + segment.p_vaddr);  // NOLINT
    const std::string id = build_id_in_notes({start, segment.p_memsz});
    if (!id.empty()) {
      return id;
    }
  }
  return {};
}

int visit(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  const std::filesystem::path path = object->dlpi_name;
  if (path.filename() != search.file_name) {
    return 0;
  }
  std::error_code unreadable;
  const std::filesystem::path real = std::filesystem::canonical(path, unreadable);
  // A library that was replaced or removed since it was mapped is reported by the name it had.
  search.found = LoadedLibrary{(unreadable ? path : real).string(), build_id_of(*object)};
  return 1;
}

}  // namespace

std::optional<LoadedLibrary> find_loaded_library(std::string_view file_name) {
  Search search{file_name, std::nullopt};
  dl_iterate_phdr(visit, &search);
  return search.found;
}

std::string loaded_library_line(std::string_view file_name) {
  const std::optional<LoadedLibrary> library = find_loaded_library(file_name);
  if (!library) {
    return "overbite-library: none -";
  }
  return "overbite-library: " + library->path + " " +
         (library->build_id.empty() ? "-" : library->build_id);
}

}  // namespace overbite::support
