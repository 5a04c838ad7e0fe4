// As generated_test.cc, with operations that block, time out and deadlock: mutexes, a condition
// variable, eventfds and a datagram channel. Where no schedule deadlocks the counts are equal; else
// both searches find a deadlock.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <string>

#include "ordering/tests/generated.h"

namespace overbite::ordering {
namespace {

enum class Act {
  kStore,
  kLoad,
  kLockedStore,
  kTryLock,
  kNestedLocks,
  kEventWrite,
  kEventRead,
  kSend,
  kReceive,
  kPollEvent,
  kPollEither,
  kPollTimed,
  kWaitTimed,
  kWait,
  kNotifyOne,
  kNotifyAll,
  kCount,
};

struct Op {
  Act act;
  bool other;  // which of two objects
};
// Fresh in every execution.
struct World {
  World() {
    if (::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, channel) != 0) {
      std::abort();
    }
  }

  Cells cells{2};
  std::mutex mutexes[2];
  std::condition_variable changed;
  int events[2] = {::eventfd(0, EFD_NONBLOCK), ::eventfd(0, EFD_NONBLOCK)};
  int channel[2] = {-1, -1};
};

void poll_on(std::vector<pollfd> entries, int timeout_ms) {
  ::poll(entries.data(), entries.size(), timeout_ms);
}

void use_descriptors(const Op& op, World& world) {
  const int event = world.events[op.other ? 1 : 0];
  std::uint64_t value = 1;
  switch (op.act) {
    case Act::kEventWrite:
      EXPECT_EQ(::write(event, &value, sizeof value), 8);
      break;
    case Act::kEventRead:
      (void)!::read(event, &value, sizeof value);
      break;
    case Act::kSend:
      EXPECT_EQ(::send(world.channel[0], &value, sizeof value, MSG_DONTWAIT), 8);
      break;
    case Act::kReceive:
      (void)::recv(world.channel[1], &value, sizeof value, MSG_DONTWAIT);
      break;
    case Act::kPollEvent:
      poll_on({{event, POLLIN, 0}}, -1);
      break;
    case Act::kPollEither:
      poll_on({{event, POLLIN, 0}, {world.channel[1], POLLIN, 0}}, -1);
      break;
    default:
      poll_on({{event, POLLIN, 0}, {world.channel[1], POLLIN, 0}}, 5);
      break;
  }
}

void use_locks(const Op& op, World& world) {
  std::mutex& mutex = world.mutexes[op.other ? 1 : 0];
  switch (op.act) {
    case Act::kLockedStore: {
      const std::lock_guard lock(mutex);
      world.cells[0].store(2);
      break;
    }
    case Act::kTryLock:
      if (mutex.try_lock()) {
        mutex.unlock();
      }
      break;
    case Act::kNestedLocks: {
      const std::lock_guard first(mutex);
      const std::lock_guard second(world.mutexes[op.other ? 0 : 1]);
      break;
    }
    case Act::kWaitTimed: {
      std::unique_lock lock(world.mutexes[0]);
      world.changed.wait_for(lock, std::chrono::milliseconds(op.other ? 3 : 7));
      break;
    }
    case Act::kWait: {
      std::unique_lock lock(world.mutexes[0]);
      world.changed.wait(lock);
      break;
    }
    case Act::kNotifyOne:
      world.changed.notify_one();
      break;
    default:
      world.changed.notify_all();
      break;
  }
}

void perform(const Op& op, World& world) {
  switch (op.act) {
    case Act::kStore:
      world.cells[op.other ? 1 : 0].store(1);
      break;
    case Act::kLoad:
      world.cells[op.other ? 1 : 0].load();
      break;
    case Act::kEventWrite:
    case Act::kEventRead:
    case Act::kSend:
    case Act::kReceive:
    case Act::kPollEvent:
    case Act::kPollEither:
    case Act::kPollTimed:
      use_descriptors(op, world);
      break;
    default:
      use_locks(op, world);
      break;
  }
}

Generated<Op> blocking_programs() {
  const auto operation = [](std::mt19937& random) {
    return Op{static_cast<Act>(below(random, static_cast<unsigned>(Act::kCount))),
              below(random, 2) == 1};
  };
  return {.generate = [operation](auto& random) { return small_program<Op>(random, operation); },
          .body_of = in_world<World, Op>(&perform),
          .words =
              [](const Op& op) {
                constexpr const char* kWords[] = {"store",
                                                  "load",
                                                  "locked-store",
                                                  "try-lock",
                                                  "nested-locks",
                                                  "write",
                                                  "read",
                                                  "send",
                                                  "receive",
                                                  "poll",
                                                  "poll-2",
                                                  "poll-timed",
                                                  "wait-timed",
                                                  "wait",
                                                  "notify1",
                                                  "notify"};
                static_assert(std::size(kWords) == static_cast<std::size_t>(Act::kCount));
                return std::string(kWords[static_cast<int>(op.act)]) + (op.other ? "'" : "");
              },
          .schedules_max = 40000};
}

TEST(GeneratedBlocking, ReducedSearchEqualsBruteForce) {
  constexpr int kPrograms = 1500;
  const auto verdicts = blocking_programs().expect_same(kPrograms, 20261202u);
  // The generator must not drift into programs that show nothing.
  EXPECT_GT(verdicts.at(Verdict::kPass), kPrograms / 4);
  EXPECT_GT(verdicts.at(Verdict::kFail), kPrograms / 10);
}

}  // namespace
}  // namespace overbite::ordering
