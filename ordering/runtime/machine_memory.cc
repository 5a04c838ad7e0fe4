// The machine's heap: who may use what, and what is left in the end.
#include <fmt/format.h>

#include <utility>

#include "ordering/runtime/machine.h"
#include "ordering/runtime/symbols.h"

namespace overbite::ordering {

void* Machine::allocate(std::size_t bytes, std::size_t alignment, const void* pc) {
  Arena::Block* const freed =
      current_->reuses < reuses_ ? arena_.find_freed(running_, bytes, alignment) : nullptr;
  if (freed != nullptr && takes_either()) {  // guard: address-reused
    ++current_->reuses;
    objects_.renew(freed->start, freed->bytes);
    return arena_.reuse(*freed, pc);
  }
  void* const memory = arena_.allocate(running_, bytes, alignment, pc);
  if (memory == nullptr) {
    stop_unmodelled("an execution that allocates more than 16 MiB in one thread");
  }
  return memory;
}

std::string Machine::note_sites(std::vector<MemorySite> sites) {
  std::string message;
  for (const MemorySite& site : sites) {
    message +=
        fmt::format("{}{} in {}", message.empty() ? "" : "; ", site.what, function_name(site.pc));
  }
  execution_.sites = std::move(sites);
  return message;
}

void Machine::release(void* memory, const void* pc) {
  Arena::Block* const block = arena_.block_at(memory);
  if (block == nullptr) {
    fail(FailureKind::kMemory,
         note_sites({{"free of what was not allocated, by " + name_of(running_), pc}}));
  }
  if (block->freed_at != nullptr) {  // guard: double-free
    fail(FailureKind::kMemory,
         note_sites({{"double free by " + name_of(running_), pc},
                     {"allocated", block->made_at},
                     {"freed by " + name_of(block->freed_by), block->freed_at}}));
  }
  // It is a write to all of it: it must not race with anybody's last use.
  access({memory, block->bytes, true, pc});
  arena_.mark_freed(*block, running_, pc);
}

void Machine::fail_memory(const MemoryAccess& access) {
  const std::string what = fmt::format(
      "{} of {} bytes by {}", access.write ? "write" : "read", access.size, name_of(running_));
  const Arena::Block* const block = arena_.block_before(access.address);
  if (block == nullptr) {
    fail(FailureKind::kMemory,
         note_sites({{"use of memory that was not allocated: " + what, access.pc}}));
  }
  const auto offset =
      static_cast<std::size_t>(static_cast<const std::byte*>(access.address) - block->start);
  const bool freed = block->freed_at != nullptr && offset < block->bytes;
  std::vector<MemorySite> sites = {
      {(freed ? "use after free: " : "heap overflow: ") + what, access.pc},
      {fmt::format("at {} of {} bytes that were allocated", offset, block->bytes), block->made_at}};
  if (freed) {
    sites.push_back({"freed by " + name_of(block->freed_by), block->freed_at});
  }
  fail(FailureKind::kMemory, note_sites(std::move(sites)));
}

// The execution has come to its end.
void Machine::check_leaks() {
  if (!leaks_ || execution_.end != End::kComplete) {
    return;
  }
  if (const Arena::Block* const block = arena_.find_leak()) {  // guard: leaks-reported
    execution_.end = End::kFailed;
    execution_.failure = {
        FailureKind::kMemory,
        note_sites({{fmt::format("leak: {} bytes, allocated", block->bytes), block->made_at}})};
  }
}

}  // namespace overbite::ordering
