// What the tests of the python layer share: one interpreter for the program, and short ways to get
// Python objects into C++.
#pragma once

#include <Python.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/python/interpreter.h"
#include "server/python/refs.h"
#include "server/request/request.h"

namespace overbite::python {

// Attached, from the start of the program to its end. After each test no exception is pending.
class PythonTest : public testing::Test {
 protected:
  void TearDown() override;

  // Runs statements in the test's own module namespace.
  void run(const std::string& statements);
  // The value of an expression there; an exception fails the test and gives None.
  Owned eval(const std::string& expression);
  // The namespace's object of that name; null when there is none.
  Borrowed global(const char* name);

 private:
  Borrowed globals();
  Owned globals_;
};

// repr(object).
std::string repr(Borrowed object);

// The class name of the pending exception, which is cleared; "none" without one.
std::string take_exception_type();

// sys.getallocatedblocks(): the interpreter's small objects now alive, garbage collected.
long allocated_blocks();

// Calls `once` until everything lazy is there, then three times 10 000 times: how many objects more
// were alive after 10 000 calls, in the best of the three. A leak of one object a call shows as 10
// 000 in each; what an interpreter keeps once, in one.
template <typename Once>
long growth_over_10000_calls(const Once& once) {
  for (int i = 0; i < 1000; ++i) {
    once();
  }
  long least = LONG_MAX;
  for (int window = 0; window < 3; ++window) {
    const long before = allocated_blocks();
    for (int i = 0; i < 10'000; ++i) {
      once();
    }
    least = std::min(least, allocated_blocks() - before);
  }
  return least;
}

// A leak in every hundredth call would be over this.
inline constexpr long kGrowthMax = 100;

// GET `raw_path`?`query` with these fields (names lower-cased), on 127.0.0.1:8000 from
// 127.0.0.1:4000.
std::unique_ptr<request::Request> make_request(
    const std::string& raw_path,
    const std::string& query = {},
    const std::vector<std::pair<std::string, std::string>>& fields = {});

}  // namespace overbite::python
