#include "ordering/runtime/symbols.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

namespace overbite::ordering {

// "f(int) const" -> "f", "a::b<c>::d(int)" -> "b<c>::d" for our own namespaces.
std::string shorten_function_name(std::string name) {
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    depth += name[i] == '<' ? 1 : name[i] == '>' ? -1 : 0;
    if (name[i] == '(' && depth == 0 && name.compare(i, 21, "(anonymous namespace)") != 0) {
      name.resize(i);
      break;
    }
  }
  for (const std::string_view noise : {"overbite::handoff::",
                                       "overbite::base::",
                                       "overbite::ordering::",
                                       "(anonymous namespace)::"}) {
    for (std::size_t at = name.find(noise); at != std::string::npos; at = name.find(noise)) {
      name.erase(at, noise.size());
    }
  }
  // A template's name starts with its return type.
  if (const std::size_t space = name.find(' '); space != std::string::npos && name[0] != '(') {
    const std::size_t angle = name.find('<');
    if (angle == std::string::npos || space < angle) {
      name.erase(0, space + 1);
    }
  }
  return name;
}

std::string function_name(const void* pc) {
  Dl_info info{};
  if (pc == nullptr || ::dladdr(pc, &info) == 0) {
    return "?";
  }
  if (info.dli_sname == nullptr) {
    const char* slash = std::strrchr(info.dli_fname, '/');
    return fmt::format("{}+{:#x}",
                       slash != nullptr ? slash + 1 : info.dli_fname,
                       static_cast<const char*>(pc) - static_cast<const char*>(info.dli_fbase));
  }
  int status = 0;
  char* demangled = abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status);
  std::string name = status == 0 ? demangled : info.dli_sname;
  std::free(demangled);
  return shorten_function_name(std::move(name));
}

bool is_in_file(const void* pc, const char* file_name) {
  Dl_info info{};
  return ::dladdr(pc, &info) != 0 && std::string_view(info.dli_fname).ends_with(file_name);
}

bool is_static(const void* address) {
  Dl_info info{};
  return ::dladdr(address, &info) != 0;
}

std::uint64_t load_value(const void* address, int size) {
  switch (size) {
    case 1:
      return *static_cast<const std::uint8_t*>(address);
    case 2:
      return *static_cast<const std::uint16_t*>(address);
    case 4:
      return *static_cast<const std::uint32_t*>(address);
    default:
      return *static_cast<const std::uint64_t*>(address);
  }
}

}  // namespace overbite::ordering
