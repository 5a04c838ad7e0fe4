// Flat combining: threads queue up what they want done, the first does it for all, and hands over
// to somebody who waits when it has done its share. An earlier reduced search (sleep sets, with a
// rule for loops that spin) missed executions of a program of this shape; see also the published
// data-structures/fcombiner-async.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "ordering/scenario.h"
#include "ordering/tests/model.h"

namespace overbite::ordering {
namespace {

constexpr auto kRlx = std::memory_order_relaxed;
constexpr auto kAcq = std::memory_order_acquire;
constexpr auto kRel = std::memory_order_release;
constexpr auto kAcqRel = std::memory_order_acq_rel;

// Requests are numbered from 1, by their thread; 0 is none.
class Combiner {
 public:
  Combiner(int threads, int share, bool waits_at_once)
      : share_(share),
        waits_at_once_(waits_at_once),
        next_(static_cast<std::size_t>(threads) + 1),
        answer_(static_cast<std::size_t>(threads) + 1),
        is_waited_for_(static_cast<std::size_t>(threads) + 1) {}

  void request(int me);
  int total() const { return *total_; }

 private:
  static constexpr int kDone = 1;
  static constexpr int kGoOnWith = 1;  // 2 and more: and the number of the first request

  static std::atomic<int>& of(const Cells& cells, int request) {
    return cells[static_cast<std::size_t>(request)];
  }
  std::atomic<int>& last() const { return ends_[0]; }
  std::atomic<int>& to_take_over() const { return ends_[1]; }
  // Does requests from `first` on, and leaves the rest to somebody else.
  void combine(int first);
  int take_rest_behind(int request);

  const int share_;
  const bool waits_at_once_;
  Cells ends_{2};
  Cells next_;
  Cells answer_;
  Cells is_waited_for_;
  std::unique_ptr<int> total_ = std::make_unique<int>(0);  // plain: whoever combines is alone
};

void Combiner::request(int me) {
  if (waits_at_once_) {
    of(is_waited_for_, me).store(1, kRlx);
  }
  const int before = last().exchange(me, kAcqRel);
  if (before != 0) {
    of(next_, before).store(me, kRel);
  } else {
    combine(me);
  }
  of(is_waited_for_, me).store(1, kRlx);
  while (true) {
    int answer = 0;
    await([&] {
      answer = of(answer_, me).load(kAcq);
      return answer != 0 || to_take_over().load(kRlx) != 0;
    });
    if (answer == kDone) {
      return;
    }
    const int first = answer != 0 ? answer - kGoOnWith : to_take_over().exchange(0, kAcqRel);
    if (first != 0) {
      of(answer_, me).store(0, kRlx);
      combine(first);
    }
  }
}

void Combiner::combine(int first) {
  int request = first;
  for (int i = 1;; ++i) {
    ++*total_;
    const int behind = of(next_, request).load(kAcq);
    if (behind == 0 || i == share_) {
      break;
    }
    of(answer_, request).store(kDone, kRel);
    request = behind;
  }
  const int rest = take_rest_behind(request);
  of(answer_, request).store(kDone, kRel);
  int waiting = rest;
  while (waiting != 0 && of(is_waited_for_, waiting).load(kRlx) == 0) {
    waiting = of(next_, waiting).load(kAcq);
  }
  if (waiting != 0) {
    of(answer_, waiting).store(kGoOnWith + rest, kRel);
  } else if (rest != 0) {
    to_take_over().store(rest, kRel);
  }
}

int Combiner::take_rest_behind(int request) {
  const int behind = of(next_, request).load(kAcq);
  int expected = request;
  if (behind != 0 || last().compare_exchange_strong(expected, 0, kAcqRel, kAcq)) {
    return behind;
  }
  await([&] { return of(next_, request).load(kAcq) != 0; });  // it is being queued
  return of(next_, request).load(kAcq);
}

Body combining(int threads, int share, bool waits_at_once) {
  return [=] {
    Combiner combiner(threads, share, waits_at_once);
    std::vector<Body> bodies;
    for (int me = 1; me <= threads; ++me) {
      bodies.push_back([&combiner, me] { combiner.request(me); });
    }
    in_parallel(bodies);
    require(combiner.total() == threads, "a request was lost, or done twice");
  };
}

TEST(Combining, OfTwoHasAsManyExecutionsAsBruteForceSees) {
  for (const bool waits_at_once : {false, true}) {
    for (const int share : {1, 2}) {
      const Body body = combining(2, share, waits_at_once);
      const std::uint64_t distinct = distinct_by_brute_force(body);
      EXPECT_GT(distinct, 2u);
      EXPECT_EQ(executions(body), distinct) << share << waits_at_once;
      EXPECT_GE(executions(body, Model::kRc11), distinct) << share << waits_at_once;
    }
  }
}

TEST(Combining, OfThreeLosesNoRequest) {
  for (const Model model : {Model::kSc, Model::kRc11}) {
    const Exploration found = explored(combining(3, 2, true), {}, model);
    EXPECT_EQ(found.verdict, Verdict::kPass) << found.reason;
    EXPECT_GT(found.executions, 100u);
  }
}

}  // namespace
}  // namespace overbite::ordering
