// Mutual exclusion: by a mutex, and by hand. A waiting loop is one turn and an assumption.
#include <atomic>
#include <mutex>

#include "ordering/litmus/published.h"
#include "ordering/scenario.h"
#include "ordering/tests/model.h"

namespace overbite::ordering::litmus {
namespace {

constexpr auto kRlx = std::memory_order_relaxed;
constexpr auto kSc = std::memory_order_seq_cst;

// `cells` counters under one mutex.
Body locked(int threads, std::size_t cells) {
  return [threads, cells] {
    std::mutex mutex;
    const Cells x(cells);
    const Body one = [&] {
      const std::lock_guard lock(mutex);
      for (std::size_t i = 0; i < cells; ++i) {
        x[i].store(x[i].load(kRlx) + 1, kRlx);
      }
    };
    in_parallel(std::vector<Body>(static_cast<std::size_t>(threads), one));
  };
}

// Flags and a turn. With release and acquire both may be inside: nothing says so, the graphs are
// counted.
Body peterson(std::memory_order store, std::memory_order load) {
  return [store, load] {
    const Cells flag(2);
    const Cells more(2);
    std::atomic<int>& turn = more[0];
    std::atomic<int>& inside = more[1];
    const auto enter = [&](std::size_t me) {
      const std::size_t peer = 1 - me;
      flag[me].store(1, store);
      turn.store(static_cast<int>(peer), store);
      assume(flag[peer].load(load) != 1 || turn.load(load) != static_cast<int>(peer));
      inside.store(static_cast<int>(me), store);
      inside.load(load);
      flag[me].store(0, store);
    };
    in_parallel({[&] { enter(0); }, [&] { enter(1); }});
  };
}

// Waiting room and doorway, by five values of each flag (Szymanski 1988).
Body szymanski() {
  return [] {
    const Cells flag(2);
    const Cells inside(1);
    const auto enter = [&](std::size_t me) {
      const auto say = [&](int value) {
        flag[me].store(value, kRlx);
        std::atomic_thread_fence(kSc);
      };
      const auto peer = [&] { return flag[1 - me].load(kRlx); };
      say(1);
      assume(peer() < 3);
      say(3);
      if (peer() == 1) {
        say(2);
        assume(peer() == 4);
      }
      say(4);
      assume(peer() < 2);
      inside[0].store(static_cast<int>(me), kRlx);
      inside[0].load(kRlx);
      require(inside[0].load(kRlx) == static_cast<int>(me), "both are inside");
      std::atomic_thread_fence(kSc);
      assume(2 > peer() || peer() > 3);
      flag[me].store(0, kRlx);
    };
    in_parallel({[&] { enter(0); }, [&] { enter(1); }});
  };
}

// An assumption of two loads, behind which a store lets the other thread go on.
Body assumption_of_two_loads() {
  return [] {
    const Cells cells(2);
    std::atomic<int>& x = cells[0];
    std::atomic<int>& y = cells[1];
    in_parallel({[&] {
                   assume(2 > y.load(kRlx) || y.load(kRlx) > 3);
                   x.store(1, kRlx);
                 },
                 [&] {
                   assume(x.load(kRlx) < 3);
                   y.store(3, kRlx);
                   std::atomic_thread_fence(kSc);
                   y.store(4, kRlx);
                 }});
  };
}

}  // namespace

std::vector<Published> published_mutexes() {
  std::vector<Published> all = {
      {"synthetic/peterson",
       4,
       22,
       "",
       peterson(std::memory_order_release, std::memory_order_acquire)},
      {"synthetic/peterson-sc", 4, 4, "", peterson(kSc, kSc)},
      {"synthetic/szymanski", 6, 6, "", szymanski()},
      {"synthetic/dekker_f", 3, 3, "Wy=1 F.sc Rx if=0 Wc=1 Rc | Wx=1 F.sc Ry if=0 Wc=0 Rc", {}},
      {"synthetic/dekker2-fixed N=2",
       6,
       6,
       "Wy=1.sc Rx.sc if=0 Wa=1 | Wx=1.sc Ry.sc if=0 Wb=1 | Ra if!0 Rb if!0 Wx=0 Wx=1 | "
       "Ra if!0 Rb if!0 Rx Rx",
       {}},
      {"litmus/assume-ctrl", 4, 4, "", assumption_of_two_loads()},
  };
  std::uint64_t orders = 1;
  for (int n = 2; n <= 7; ++n) {
    orders *= static_cast<std::uint64_t>(n);
    const std::string size = " N=" + std::to_string(n);
    all.push_back({"synthetic/lockinc" + size, orders, orders, "", locked(n, 1), true});
    all.push_back({"synthetic/lock2inc" + size, orders, orders, "", locked(n, 2), true});
  }
  return all;
}

}  // namespace overbite::ordering::litmus
