// Loops that wait by looking: while (!flag.load()) {}
//
// A thread that comes to the same load again in the same state - the same registers and the same
// stack, nothing written and nothing but looked since - does the same again for ever, unless what
// it looks at changes. So it is made to wait for such a change, which loses nothing: everything it
// would have done in between it has done before. A loop that counts its turns is never in the same
// state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

namespace overbite::ordering {

// The registers that a called function has to preserve, as they were when the hook was called.
extern "C" std::uint64_t overbite_registers[7];

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
