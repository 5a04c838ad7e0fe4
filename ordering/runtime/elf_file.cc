#include "ordering/runtime/elf_file.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <fstream>
#include <iterator>

namespace overbite::ordering {

namespace {

// The `number`-th T from `offset` on; zeros where the file ends before it.
template <typename T>
T item(const std::string& bytes, std::size_t offset, std::size_t number = 0) {
  T result{};
  const std::size_t at = offset + number * sizeof result;
  if (at < bytes.size() && bytes.size() - at >= sizeof result) {
    std::memcpy(&result, bytes.data() + at, sizeof result);
  }
  return result;
}

}  // namespace

ElfFile::ElfFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  bytes_.assign(std::istreambuf_iterator<char>(file), {});
}

void ElfFile::for_symbols(unsigned type, const Visit& visit) const {
  const auto header = item<ElfW(Ehdr)>(bytes_, 0);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto section = item<ElfW(Shdr)>(bytes_, header.e_shoff, i);
    if (section.sh_type != SHT_SYMTAB || section.sh_size > bytes_.size()) {
      continue;
    }
    const auto names = item<ElfW(Shdr)>(bytes_, header.e_shoff, section.sh_link);
    for (std::size_t n = 0; n < section.sh_size / sizeof(ElfW(Sym)); ++n) {
      const auto symbol = item<ElfW(Sym)>(bytes_, section.sh_offset, n);
      const std::size_t name = names.sh_offset + symbol.st_name;
      if (ELF64_ST_TYPE(symbol.st_info) == type && symbol.st_size > 0 && name < bytes_.size()) {
        visit(symbol.st_value, symbol.st_size, bytes_.c_str() + name);
      }
    }
  }
}

bool ElfFile::is_whole() const {
  const auto header = item<ElfW(Ehdr)>(bytes_, 0);
  return bytes_.starts_with(ELFMAG) &&
         header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize <= bytes_.size();
}

bool ElfFile::is_fixed_program() const {
  return bytes_.starts_with(ELFMAG) && item<ElfW(Ehdr)>(bytes_, 0).e_type == ET_EXEC;
}

bool ElfFile::clear_program_mark() {
  const auto header = item<ElfW(Ehdr)>(bytes_, 0);
  for (std::size_t i = 0; bytes_.starts_with(ELFMAG) && i < header.e_phnum; ++i) {
    const auto segment = item<ElfW(Phdr)>(bytes_, header.e_phoff, i);
    for (std::size_t n = 0;
         segment.p_type == PT_DYNAMIC && n < segment.p_filesz / sizeof(ElfW(Dyn));
         ++n) {
      auto entry = item<ElfW(Dyn)>(bytes_, segment.p_offset, n);
      if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_PIE) != 0) {
        entry.d_un.d_val &= ~std::uint64_t{DF_1_PIE};
        std::memcpy(bytes_.data() + segment.p_offset + n * sizeof entry, &entry, sizeof entry);
        return true;
      }
    }
  }
  return false;
}

bool ElfFile::write(const std::string& path) const {
  std::ofstream file(path, std::ios::binary);
  file << bytes_ << std::flush;
  return file.good();
}

}  // namespace overbite::ordering
