// Loops that wait by looking: while (!flag.load()) {}
//
// A thread that comes to the same load again in the same state - the same registers and the same
// stack, nothing written and nothing but looked since - does the same again for ever, unless what
// it looks at changes. So it is made to wait for such a change, which loses nothing: everything it
// would have done in between it has done before. A loop that counts its turns is never in the same
// state.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "ordering/runtime/operation.h"

namespace overbite::ordering {

// The registers that a called function has to preserve, as they were when the hook was called.
extern "C" std::uint64_t overbite_registers[7];

// A loop that counts its turns, that says when one is over, and for which it makes no difference
// how many there were: what it saw in one turn it is told in the next. That the change came in
// between is as if it had looked first when it had come.
class CountedSpin {
 public:
  void clear() {
    seen_ = 0;
    told_ = 0;
    seen_before_ = 0;
    turns_ = 0;
  }
  void end_turn() {
    // One that was told some of it and looked at the rest knows both old and new: it is not told.
    const bool is_known = seen_ <= kLooksMax && (told_ == 0 || told_ == seen_);
    turns_ = told_ != 0 ? turns_ + 1 : 0;
    before_ = turn_;
    seen_before_ = is_known ? seen_ : 0;
    seen_ = 0;
    told_ = 0;
  }
  // What this look is told; null: it has to look.
  const Content* told(const void* pc, const void* address) {
    if (seen_before_ == 0 || turns_ >= kTurnsMax) {
      return nullptr;
    }
    // The loop may begin behind the first looks of the turn before.
    while (seen_ == 0 && seen_before_ > 1 && !is_at(before_[0], pc, address)) {
      std::copy(before_.begin() + 1, before_.end(), before_.begin());
      --seen_before_;
    }
    if (seen_ >= seen_before_ || !is_at(before_[seen_], pc, address)) {
      return nullptr;
    }
    turn_[seen_] = before_[seen_];
    ++told_;
    return &before_[seen_++].seen;
  }
  void saw(const void* pc, const void* address, const Content& seen) {
    if (seen_ < kLooksMax) {
      turn_[seen_] = {pc, address, seen};
    }
    ++seen_;
  }

 private:
  static constexpr std::size_t kLooksMax = 4;  // of a turn
  static constexpr int kTurnsMax = 64;
  struct Look {
    const void* pc = nullptr;
    const void* address = nullptr;
    Content seen;
  };
  static bool is_at(const Look& look, const void* pc, const void* address) {
    return look.pc == pc && look.address == address;
  }
  std::array<Look, kLooksMax> turn_;
  std::array<Look, kLooksMax> before_;
  std::size_t seen_ = 0;
  std::size_t told_ = 0;
  std::size_t seen_before_ = 0;
  int turns_ = 0;  // that were told
};

class SpinDetector {
 public:
  // Of a thread: its looks since it did anything else.
  struct Looks {
    struct Look {
      const void* pc = nullptr;
      const void* address = nullptr;
      std::uint64_t state = 0;
    };
    std::vector<Look> all;
    void clear() { all.clear(); }
  };

  // Before the look at `address` in `pc`; the thread's stack ends at `stack_end`. How many of its
  // last looks were one turn of a loop that is now back where it was; 0: none.
  std::size_t turn_before(Looks& looks,
                          const void* pc,
                          const void* address,
                          const std::byte* stack_end);
  // True, once: a loop was seen that was not known. States are only taken in loops that are known,
  // so what was explored so far was explored otherwise than the rest will be.
  bool has_learnt();
  void forget_all() { loops_.clear(); }

 private:
  std::unordered_set<const void*> loops_;  // pcs that were come back to
  bool has_learnt_ = false;
};

}  // namespace overbite::ordering
