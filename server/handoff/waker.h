// How a thread that sleeps in poll(2) is woken: a parked flag and an eventfd.
//
// A consumer raises the flag, looks at its queues once more, and only then sleeps; a producer
// publishes, then looks at the flag, and writes the eventfd only when a peer is parked. This is the
// store-buffering shape: without sequential consistency between the two steps on both sides either
// could miss the other, and the item would lie there until something else happens.
#pragma once

#include <atomic>

#include "server/base/unique_fd.h"

namespace overbite::handoff {

class Waker {
 public:
  Waker();

  // Readable after a poke. Valid as long as the Waker.
  int fd() const { return fd_.get(); }

  // Consumer. After park() the queues must be looked at once more before sleeping.
  void park();
  // Consumer, awake again: lowers the flag and makes the fd unreadable.
  void unpark();
  // Producer, after publishing.
  void poke();
  // Makes the fd readable whatever the flag says (a consumer that wants another turn).
  void signal();

 private:
  base::UniqueFd fd_;
  std::atomic<bool> parked_{false};
};

}  // namespace overbite::handoff
