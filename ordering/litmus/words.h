// Small concurrent programs, written in one line:
//
//   "Wx=1.rel Ry.acq | Wy=1.rel Rx.acq"        a thread, "|", the next
//
//   Rx        load x; what was read is called r        F.sc      fence
//   Wx=1      store; the value is 1, r, r+1, r-1 ...   dx, dx=1  the same, of plain data
//   Ax+1      fetch_add                                if>1      the thread ends here unless r > 1
//   Ex=1      exchange                                 assume=0  this execution counts for nothing
//   Cx:0>1    compare_exchange_strong, 0 to 1                    unless r = 0 (also ! and <)
//   Lx=1      await() that a load of x gives 1
//
// An operation ends in its memory order: .rlx (or nothing), .acq, .rel, .ar, .sc; a
// compare-exchange in two, "Cx:0>1.ar/acq". Cells are letters, all zero at first; r is zero at
// first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace overbite::ordering::litmus {

enum class Do : std::uint8_t {
  kLoad,
  kStore,
  kAdd,
  kExchange,
  kCompareExchange,
  kFence,
  kPlainLoad,
  kPlainStore,
  kAwait,
  kIf,
  kAssume,
};

// In the sequence of std::memory_order, without consume.
enum class Order : std::uint8_t { kRelaxed, kAcquire, kRelease, kAcqRel, kSeqCst };

struct Op {
  Do act = Do::kLoad;
  Order order = Order::kRelaxed;
  Order failure_order = Order::kRelaxed;
  char compare = '=';      // kAwait, kIf, kAssume: one of = ! < >
  bool adds_read = false;  // the value is r + value
  int cell = 0;
  int value = 0;  // stored, added, desired, compared with
  int expected = 0;
};

using Program = std::vector<std::vector<Op>>;

inline bool holds(const Op& condition, int read) {
  switch (condition.compare) {
    case '!':
      return read != condition.value;
    case '<':
      return read < condition.value;
    case '>':
      return read > condition.value;
    default:
      return read == condition.value;
  }
}

// Aborts on what it does not understand: the programs are ours.
Program parse(std::string_view text);
std::string text_of(const Program& program);
int cells_of(const Program& program);

// To be explored. Owns its copy.
std::function<void()> body_of(Program program);

}  // namespace overbite::ordering::litmus
