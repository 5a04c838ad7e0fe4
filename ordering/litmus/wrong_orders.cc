// Memory orders that are too weak: between a flag and plain data, and in mutual exclusion by hand.
#include <array>
#include <atomic>
#include <memory>

#include "ordering/litmus/wrong.h"
#include "ordering/scenario.h"
#include "ordering/tests/model.h"

namespace overbite::ordering::litmus {
namespace {

constexpr auto kRlx = std::memory_order_relaxed;
constexpr auto kAcq = std::memory_order_acquire;
constexpr auto kRel = std::memory_order_release;

// Both raise a flag, look at the other's and go in.
Body dekker(std::memory_order store, std::memory_order load) {
  return [store, load] {
    const Cells flag(2);
    const Cells inside(1);
    const auto enter = [&](std::size_t me) {
      flag[me].store(1, store);
      if (flag[1 - me].load(load) == 0) {
        const int own = static_cast<int>(me) + 1;
        inside[0].store(own, kRlx);
        require(inside[0].load(kRlx) == own, "both are inside");
      }
    };
    in_parallel({[&] { enter(0); }, [&] { enter(1); }});
  };
}

// With plain data inside.
Body peterson(std::memory_order store, std::memory_order load) {
  return [store, load] {
    const Cells flag(2);
    const Cells turn(1);
    const auto inside = std::make_unique<int>(0);
    const auto enter = [&](std::size_t me) {
      const std::size_t peer = 1 - me;
      flag[me].store(1, store);
      turn[0].store(static_cast<int>(peer), store);
      await(
          [&] { return flag[peer].load(load) == 0 || turn[0].load(load) == static_cast<int>(me); });
      ++*inside;
      flag[me].store(0, store);
    };
    in_parallel({[&] { enter(0); }, [&] { enter(1); }});
  };
}

// A writer makes the number odd, writes two words and makes it even again.
Body sequence_lock(bool fences) {
  return [fences] {
    const Cells number(1);
    const Cells words(2);
    in_parallel({[&] {
                   number[0].store(1, kRlx);
                   if (fences) {
                     std::atomic_thread_fence(kRel);
                   }
                   words[0].store(1, kRlx);
                   words[1].store(1, kRlx);
                   number[0].store(2, fences ? kRel : kRlx);
                 },
                 [&] {
                   const int before = number[0].load(fences ? kAcq : kRlx);
                   const int first = words[0].load(kRlx);
                   const int second = words[1].load(kRlx);
                   if (fences) {
                     std::atomic_thread_fence(kAcq);
                   }
                   const int after = number[0].load(kRlx);
                   require(before != after || before % 2 != 0 || first == second, "torn");
                 }});
  };
}

// The last of two owners takes the object away.
Body counted(std::memory_order drop) {
  return [drop] {
    const Cells owners(1);
    owners[0].store(2, kRlx);
    auto* const object = new int(0);
    int* const fields = new int[2]();
    const auto one = [&, object, fields](std::size_t me) {
      fields[me] = *object + 1;
      if (owners[0].fetch_sub(1, drop) == 1) {
        delete object;
        delete[] fields;
      }
    };
    in_parallel({[&] { one(0); }, [&] { one(1); }});
  };
}

// The consumer says that it sleeps and looks for items; the producer makes one and looks whether
// anybody sleeps.
Body parked(std::memory_order fence) {
  return [fence] {
    const Cells cells(3);
    std::atomic<int>& item = cells[0];
    std::atomic<int>& asleep = cells[1];
    std::atomic<int>& poked = cells[2];
    in_parallel({[&] {
                   item.store(1, kRel);
                   std::atomic_thread_fence(fence);
                   if (asleep.load(kRlx) == 1) {
                     poked.store(1, kRel);
                   }
                 },
                 [&] {
                   asleep.store(1, kRlx);
                   std::atomic_thread_fence(fence);
                   if (item.load(kAcq) == 0) {
                     await([&] { return poked.load(kAcq) == 1; });
                   }
                 }});
  };
}

// Taken by compare-exchange, given back by a store.
Body spin_lock(std::memory_order take, std::memory_order give) {
  return [take, give] {
    const Cells lock(1);
    const auto data = std::make_unique<int>(0);
    const Body one = [&] {
      await([&] { return lock[0].load(kRlx) == 0; });
      int expected = 0;
      if (lock[0].compare_exchange_strong(expected, 1, take, kRlx)) {
        ++*data;
        lock[0].store(0, give);
      }
    };
    in_parallel({one, one});
  };
}

}  // namespace

// The published ones: {MP,S,MPU,MPU2}+{rel,relf,rels,rlx}+{rlx,acq,acqf}, where one side or both
// are too weak. In "rels" the flag is read from a relaxed store behind the release.
std::vector<Wrong> wrong_races() {
  struct Side {
    std::string name;
    std::string words;
    bool enough;
  };
  const std::array<Side, 4> writers = {{{"rel", "dx=1 Wy=1.rel", true},
                                        {"relf", "dx=1 F.rel Wy=1", true},
                                        {"rels", "dx=1 Wy=0.rel Wy=1", false},
                                        {"rlx", "dx=1 Wy=1", false}}};
  const std::array<Side, 3> readers = {
      {{"rlx", "Ry ", false}, {"acq", "Ry.acq ", true}, {"acqf", "Ry ", true}}};
  const struct {
    std::string name;
    std::string between;
    std::string condition;
    std::string access;
  } shapes[] = {{"MP", "", "if!0", "dx"},
                {"S", "", "if!0", "dx=2"},
                {"MPU", "| Ay+1 ", "if>1", "dx=2"},
                {"MPU2", "| Cy:2>3 | Cy:1>2 ", "if>2", "dx=2"}};
  std::vector<Wrong> all;
  for (const auto& shape : shapes) {
    for (const Side& writer : writers) {
      for (const Side& reader : readers) {
        if (writer.enough && reader.enough) {
          continue;
        }
        const std::string fence = reader.name == "acqf" ? " F.acq " : " ";
        all.push_back({"racy/" + shape.name + "+" + writer.name + "+" + reader.name,
                       FailureKind::kDataRace,
                       FailureKind::kDataRace,
                       writer.words + " " + shape.between + "| " + reader.words + shape.condition +
                           fence + shape.access});
      }
    }
  }
  return all;
}

std::vector<Wrong> wrong_orders() {
  constexpr auto kNone = FailureKind::kNone;
  constexpr auto kRace = FailureKind::kDataRace;
  constexpr auto kRequirement = FailureKind::kRequirement;
  constexpr auto kSc = std::memory_order_seq_cst;
  return {
      {"safety/dekker_rlx", kNone, kRequirement, "", dekker(kRlx, kRlx)},
      {"dekker, release and acquire", kNone, kRequirement, "", dekker(kRel, kAcq)},
      {"dekker, one load acquires",
       kNone,
       kRace,
       "Wx=1.sc Ry.sc if=0 dz=1 | Wy=1.sc Rx.acq if=0 dz=2"},
      {"dekker, right", kNone, kNone, "Wx=1.sc Ry.sc if=0 dz=1 | Wy=1.sc Rx.sc if=0 dz=2"},
      {"peterson, release and acquire", kNone, kRace, "", peterson(kRel, kAcq)},
      {"peterson, right", kNone, kNone, "", peterson(kSc, kSc)},
      {"sequence lock without fences", kNone, kRequirement, "", sequence_lock(false)},
      {"sequence lock, right", kNone, kNone, "", sequence_lock(true)},
      {"parked flag with acquire and release",
       kNone,
       FailureKind::kDeadlock,
       "",
       parked(std::memory_order_acq_rel)},
      {"parked flag, right", kNone, kNone, "", parked(kSc)},
      {"count dropped relaxed", kRace, kRace, "", counted(kRlx)},
      {"count dropped by release", kRace, kRace, "", counted(kRel)},
      {"count, right", kNone, kNone, "", counted(std::memory_order_acq_rel)},
      {"spin lock taken relaxed", kRace, kRace, "", spin_lock(kRlx, kRel)},
      {"spin lock given back relaxed", kRace, kRace, "", spin_lock(kAcq, kRlx)},
      {"spin lock, right", kNone, kNone, "", spin_lock(kAcq, kRel)},
      {"published twice", kRace, kRace, "dx=1 Wy=1.rel dx=2 | Ry.acq if!0 dx"},
      {"flag of the other", kRace, kRace, "dx=1 Wy=1.rel | Wz=1.rel | Rz.acq if!0 dx"},
  };
}

}  // namespace overbite::ordering::litmus
