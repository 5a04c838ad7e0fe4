#include "server/python/reason_phrases.h"

#include "tests/python/python_test.h"

namespace overbite::python {
namespace {

using ReasonPhrasesTest = PythonTest;

TEST_F(ReasonPhrasesTest, AreThoseOfTheRunningPython) {
  http::ReasonTable table;
  const auto loaded = load_reason_phrases(table);
  ASSERT_TRUE(loaded.ok()) << loaded.error();
  run("from http.client import responses");
  for (int status = 100; status <= 599; ++status) {
    const Owned expected = eval("responses.get(" + std::to_string(status) + ", '')");
    EXPECT_EQ(table.phrase(status), PyUnicode_AsUTF8(expected.get())) << status;
  }
  EXPECT_EQ(table.phrase(200), "OK");
  EXPECT_EQ(table.phrase(299), "");
}

}  // namespace
}  // namespace overbite::python
