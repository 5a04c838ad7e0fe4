// main() of every C++ test binary: GoogleTest's, plus the line and the property that say which
// library was under the tests: the explorer's, or the server's.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/support/loaded_library.h"

namespace {

// Speaks when the tests start, not before: `--gtest_list_tests` stays what its readers expect.
class LibraryListener : public testing::EmptyTestEventListener {
 public:
  void OnTestProgramStart(const testing::UnitTest& /*unit_test*/) override {
    using namespace overbite::support;
    const bool explores = find_loaded_library(kExplorerLibrary).has_value();
    const std::string line = loaded_library_line(explores ? kExplorerLibrary : kServerLibrary);
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);  // a test that crashes would take the line with it
    testing::Test::RecordProperty("overbite-library", line.substr(line.find(' ') + 1));
  }
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  testing::UnitTest::GetInstance()->listeners().Append(new LibraryListener);  // gtest owns it
  return RUN_ALL_TESTS();
}
