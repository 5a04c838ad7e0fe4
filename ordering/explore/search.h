// A search decides what happens, execution after execution, until nothing is left to see.
#pragma once

#include "ordering/runtime/machine.h"

namespace overbite::ordering {

// Part `number`, from 0, of `count` parts of a search.
struct Shard {
  int number = 0;
  int count = 1;
};

class Search : public Director {
 public:
  // Before each execution. False: everything this search wants to see has been seen.
  virtual bool begin() = 0;
  // As if nothing had been seen yet.
  virtual void begin_again() = 0;
  Failure failure() const override { return failure_; }

 protected:
  Failure failure_;
};

// "deadlock: a waits for ...; b waits for ...", or empty when every thread has ended.
std::string deadlock_text(const Machine& machine);

}  // namespace overbite::ordering
