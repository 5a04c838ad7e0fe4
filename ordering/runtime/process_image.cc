#include "ordering/runtime/process_image.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>

#include "ordering/runtime/elf_file.h"

namespace overbite::ordering {

namespace {

std::vector<dl_phdr_info> loaded_modules() {
  std::vector<dl_phdr_info> all;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        static_cast<std::vector<dl_phdr_info>*>(out)->push_back(*info);
        return 0;
      },
      &all);
  return all;
}

bool is_of_the_system(std::string_view path) {
  return path.starts_with("/lib") || path.starts_with("/usr/lib") || path.empty();
}

std::string demangled(const char* name) {
  int status = 0;
  if (!std::string_view(name).starts_with("_Z")) {
    return name;
  }
  char* const text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  return result;
}

std::vector<std::byte> copy_of(const void* start, std::size_t bytes) {
  const auto* from = static_cast<const std::byte*>(start);
  return {from, from + bytes};
}

}  // namespace

ProcessImage& ProcessImage::shared() {
  static ProcessImage* const image = new ProcessImage;
  return *image;
}

void ProcessImage::begin() {
  others_.clear();
  for (const dl_phdr_info& module : loaded_modules()) {
    others_.push_back(module.dlpi_addr);
  }
}

std::vector<std::string> ProcessImage::add_loaded() {
  std::vector<std::string> bare;
  for (const dl_phdr_info& module : loaded_modules()) {
    const std::string_view path = module.dlpi_name;
    if (path.find("/libstdc++.so") != std::string_view::npos) {
      add_thread_locals(module);  // std::call_once passes its callable by one
    }
    if (is_of_the_system(path) ||
        std::find(others_.begin(), others_.end(), module.dlpi_addr) != others_.end()) {
      continue;
    }
    const ElfFile file(module.dlpi_name);
    if (!file.is_instrumented()) {
      bare.emplace_back(path);
    }
    file.for_symbols(STT_OBJECT, [&](std::uintptr_t value, std::size_t bytes, const char* name) {
      variables_.push_back({module.dlpi_addr + value, bytes, demangled(name)});
    });
    add_thread_locals(module);
    add_segments(module);
  }
  begin();
  return bare;
}

void ProcessImage::add_thread_locals(const dl_phdr_info& module) {
  for (const ElfW(Phdr) & segment : std::span(module.dlpi_phdr, module.dlpi_phnum)) {
    if (segment.p_type == PT_TLS) {
      const std::uintptr_t begin = module.dlpi_addr + segment.p_vaddr;
      Template block{module.dlpi_tls_modid,
                     copy_of(reinterpret_cast<const void*>(begin), segment.p_filesz),
                     std::max<std::size_t>(segment.p_align, 16)};
      block.bytes.resize(segment.p_memsz);
      templates_.push_back(std::move(block));
    }
  }
}

void ProcessImage::add_segments(const dl_phdr_info& module) {
  const std::span segments(module.dlpi_phdr, module.dlpi_phnum);
  std::uintptr_t constant_end = 0;  // of what the loader has made read-only
  for (const ElfW(Phdr) & segment : segments) {
    if (segment.p_type == PT_GNU_RELRO) {
      constant_end = (module.dlpi_addr + segment.p_vaddr + segment.p_memsz) & ~std::uintptr_t{4095};
    }
  }
  for (const ElfW(Phdr) & segment : segments) {
    const std::uintptr_t begin = module.dlpi_addr + segment.p_vaddr;
    const std::uintptr_t end = begin + segment.p_memsz;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0) {
      code_.push_back({begin, end});
    } else if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0) {
      const std::uintptr_t start =
          begin < constant_end && constant_end <= end ? constant_end : begin;
      auto* const first = reinterpret_cast<std::byte*>(start);
      ranges_.push_back({first, copy_of(first, end - start)});
    }
  }
}

void ProcessImage::restore() {
  ++execution_;
  for (const Range& range : ranges_) {
    std::copy(range.bytes.begin(), range.bytes.end(), range.start);  // guard: globals-not-restored
  }
}

std::string ProcessImage::variable_at(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const Variable& variable : variables_) {
    if (at >= variable.address && at < variable.address + variable.bytes) {
      return at == variable.address ? variable.name
                                    : fmt::format("{}+{}", variable.name, at - variable.address);
    }
  }
  return {};
}

bool ProcessImage::owns_code(const void* pc) const {
  const auto at = reinterpret_cast<std::uintptr_t>(pc);
  return std::any_of(code_.begin(), code_.end(), [at](const Code& code) {
    return at >= code.begin && at < code.end;
  });
}

void* ProcessImage::thread_local_at(std::size_t module, std::size_t offset, ThreadId thread) {
  const auto found =
      std::find_if(templates_.begin(), templates_.end(), [module](const Template& block) {
        return block.module == module;
      });
  if (found == templates_.end()) {
    return nullptr;
  }
  std::vector<Block>& blocks = blocks_[static_cast<std::size_t>(thread)];
  auto block = std::find_if(blocks.begin(), blocks.end(), [module](const Block& other) {
    return other.module == module;
  });
  if (block == blocks.end()) {
    Block made{module, 0, std::vector<std::byte>(found->bytes.size() + found->alignment), nullptr};
    void* start = made.memory.data();
    std::size_t space = made.memory.size();
    made.start =
        static_cast<std::byte*>(std::align(found->alignment, found->bytes.size(), start, space));
    blocks.push_back(std::move(made));
    block = std::prev(blocks.end());
  }
  if (block->execution != execution_) {
    block->execution = execution_;
    std::copy(found->bytes.begin(), found->bytes.end(), block->start);  // guard: thread-locals-kept
  }
  return block->start + offset;
}

}  // namespace overbite::ordering
