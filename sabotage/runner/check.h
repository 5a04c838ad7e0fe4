// Whether patches, guards and tests still belong together. Reads only; builds nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sabotage/runner/catalogue.h"
#include "sabotage/runner/workspace.h"

namespace overbite::sabotage {

struct CheckReport {
  std::size_t patches = 0;
  std::size_t guards = 0;
  std::vector<std::string> problems;  // one line each, naming what and where
  std::vector<std::string> notes;     // what could not be looked at, and why; guards that moved
};

// Every patch parses and applies to its guard's line; guards and patches are one to one; every
// killer and control exists. Without a build directory, gtest and ordering tests are not looked up
// (a note says so).
CheckReport check_tree(const Workspace& workspace, const std::vector<CatalogueEntry>& patches);

// The names in the output of --gtest_list_tests, as Suite.Case.
std::vector<std::string> parse_gtest_list(std::string_view output);

// Whether the Python source defines the test "name" or "Class::name"; "[parameters]" are left out.
bool defines_pytest(std::string_view source, std::string_view test);

}  // namespace overbite::sabotage
