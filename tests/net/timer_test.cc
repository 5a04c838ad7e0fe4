#include "server/net/timer.h"

#include <gtest/gtest.h>

#include <thread>

namespace overbite::net {
namespace {

void wait_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

TEST(Timer, FiresOnceWhenItsTimeHasCome) {
  TimerQueue queue;
  int fired = 0;
  Timer timer(queue, [&] { ++fired; });
  timer.arm_after(5);
  queue.run_due();
  EXPECT_EQ(fired, 0);
  wait_ms(10);
  EXPECT_EQ(queue.timeout_ms(), 0);
  queue.run_due();
  queue.run_due();
  EXPECT_EQ(fired, 1);
  EXPECT_EQ(queue.timeout_ms(), -1);
}

TEST(Timer, ArmingAgainForgetsTheEarlierDeadline) {
  TimerQueue queue;
  int fired = 0;
  Timer timer(queue, [&] { ++fired; });
  timer.arm_after(1);
  timer.arm_after(60000);
  wait_ms(5);
  queue.run_due();
  EXPECT_EQ(fired, 0) << "the forgotten deadline closed a busy connection";
  timer.cancel();
  EXPECT_EQ(queue.timeout_ms(), -1) << "a deadline is still in the queue";
}

TEST(Timer, IsCancelledByItsDestruction) {
  TimerQueue queue;
  {
    Timer(queue, [] { FAIL(); }).arm_after(0);
  }
  wait_ms(2);
  queue.run_due();
}

TEST(Timer, MayArmItselfAgainFromItsCallback) {
  TimerQueue queue;
  int fired = 0;
  Timer timer(queue, [&] { ++fired; });
  Timer again(queue, [&] { timer.arm_after(60000); });
  again.arm_after(0);
  queue.run_due();
  EXPECT_EQ(fired, 0);
  EXPECT_TRUE(timer.armed());
}

}  // namespace
}  // namespace overbite::net
