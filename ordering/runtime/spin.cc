#include "ordering/runtime/spin.h"

#include <cstring>
#include <utility>

namespace overbite::ordering {

extern "C" std::uint64_t overbite_registers[7] = {};

namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 32);
}

// The last of the registers is the stack pointer.
std::uint64_t state_of_caller(const std::byte* stack_end) {
  std::uint64_t hash = 1;
  for (const std::uint64_t value : overbite_registers) {
    hash = mix(hash, value);
  }
  const auto* at = reinterpret_cast<const std::byte*>(overbite_registers[6]);
  for (; at + sizeof(std::uint64_t) <= stack_end; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    hash = mix(hash, word);
  }
  return hash;
}

}  // namespace

std::size_t SpinDetector::turn_before(Looks& looks,
                                      const void* pc,
                                      const void* address,
                                      const std::byte* stack_end) {
  const bool is_loop = loops_.contains(pc);
  const std::uint64_t state = is_loop ? state_of_caller(stack_end) : 0;
  std::size_t turn = 0;
  for (std::size_t back = 1; back <= looks.all.size() && turn == 0; ++back) {
    const Looks::Look& look = looks.all[looks.all.size() - back];
    if (look.pc != pc || look.address != address) {
      continue;
    }
    if (!is_loop) {
      has_learnt_ = loops_.insert(pc).second;
      break;
    }
    turn = look.state == state ? back : 0;
  }
  if (turn == 0) {
    looks.all.push_back({pc, address, state});
  } else {
    // They will be taken back, and come again.
    looks.all.resize(looks.all.size() - turn);
    looks.all.push_back({pc, address, state});
  }
  return turn;
}

bool SpinDetector::has_learnt() { return std::exchange(has_learnt_, false); }

}  // namespace overbite::ordering
