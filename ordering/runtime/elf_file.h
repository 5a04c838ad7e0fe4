// The little that is asked of a file in ELF, as it is on disk. Whatever is wrong with one shows as
// something that is not there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace overbite::ordering {

class ElfFile {
 public:
  explicit ElfFile(const std::string& path);

  // visit(value, size, name) for each symbol of this STT_ type in the full symbol table.
  using Visit = std::function<void(std::uintptr_t value, std::size_t size, const char* name)>;
  void for_symbols(unsigned type, const Visit& visit) const;
  // Compiled with -fsanitize=thread: it calls the runtime by this name.
  bool is_instrumented() const { return bytes_.find("__tsan_init") != std::string::npos; }
  // Nothing is missing at its end (the loader would crash).
  bool is_whole() const;
  // It brings ThreadSanitizer's own runtime.
  bool brings_runtime() const { return bytes_.find("libtsan.so") != std::string::npos; }
  // A program at a fixed address, which can only be run.
  bool is_fixed_program() const;
  // A position-independent program differs from a library by a mark, for which the loader refuses
  // to load it beside another. False: it had none.
  bool clear_program_mark();
  bool write(const std::string& path) const;

 private:
  std::string bytes_;
};

}  // namespace overbite::ordering
