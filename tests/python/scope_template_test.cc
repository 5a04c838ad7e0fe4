#include "server/python/scope_template.h"

#include "tests/python/python_test.h"

namespace overbite::python {
namespace {

struct ScopeTemplateTest : PythonTest {
  explicit ScopeTemplateTest(const std::string& root_path = {})
      : made(ScopeTemplate::make(root_path, "127.0.0.1", 8000)) {}

  Owned build(const request::Request& request, Borrowed state = {}) {
    Owned scope = made.value().build(request, state);
    EXPECT_TRUE(scope) << take_exception_text();
    return scope;
  }
  static Borrowed value(const Owned& scope, const char* key) {
    return Borrowed(PyDict_GetItemString(scope.get(), key));
  }

  base::Result<ScopeTemplate> made;
};

struct MountedScopeTest : ScopeTemplateTest {
  MountedScopeTest() : ScopeTemplateTest("/caf\xc3\xa9") {}
};

TEST_F(ScopeTemplateTest, HoldsWhatTheReferencePutsThereInItsOrder) {
  const auto request =
      make_request("/a%20b/%E2%82%AC", "x=%20", {{"host", "h"}, {"x", "1"}, {"x", "2"}});
  EXPECT_EQ(
      repr(build(*request).borrow()),
      "{'type': 'http', 'asgi': {'version': '3.0', 'spec_version': '2.3'}, 'http_version': "
      "'1.1', 'server': ('127.0.0.1', 8000), 'client': ('127.0.0.1', 4000), 'scheme': 'http', "
      "'root_path': '', 'headers': [(b'host', b'h'), (b'x', b'1'), (b'x', b'2')], 'state': {}, "
      "'method': 'GET', 'path': '/a b/\xe2\x82\xac', 'raw_path': b'/a%20b/%E2%82%AC', "
      "'query_string': b'x=%20'}");
}

TEST_F(ScopeTemplateTest, SaysTheVersionOfTheRequest) {
  const auto request = make_request("/");
  request->head->version_minor = 0;
  EXPECT_EQ(repr(value(build(*request), "http_version")), "'1.0'");
  EXPECT_EQ(repr(value(build(*make_request("/")), "http_version")), "'1.1'");
}

TEST_F(ScopeTemplateTest, HasNoneForAnEndWithoutAnAddress) {
  const auto request = make_request("/");
  request->endpoints = std::make_shared<request::Endpoints>();
  const Owned scope = build(*request);
  EXPECT_EQ(value(scope, "client").get(), Py_None);
  EXPECT_EQ(value(scope, "server").get(), Py_None);
}

TEST_F(ScopeTemplateTest, NamesTheLocalAddressOfTheConnection) {
  const auto request = make_request("/");
  request->endpoints =
      std::make_shared<request::Endpoints>(request::Endpoints{"::1", 1, "fe80::1", 9000});
  const Owned scope = build(*request);
  EXPECT_EQ(repr(value(scope, "server")), "('fe80::1', 9000)");
  EXPECT_EQ(repr(value(scope, "client")), "('::1', 1)");
}

TEST_F(ScopeTemplateTest, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(repr(value(build(*make_request("/%ff%zz%00")), "path")), "'/\xef\xbf\xbd%zz\\x00'");
}

TEST_F(MountedScopeTest, PutsTheRootPathInFront) {
  const Owned scope = build(*make_request("/x%2F"));
  EXPECT_EQ(repr(value(scope, "root_path")), "'/caf\xc3\xa9'");
  EXPECT_EQ(repr(value(scope, "path")), "'/caf\xc3\xa9/x/'");
  EXPECT_EQ(repr(value(scope, "raw_path")), "b'/caf\\xc3\\xa9/x%2F'");
}

TEST_F(ScopeTemplateTest, IsADictOfItsOwnForEveryRequest) {
  const auto request = make_request("/");
  const Owned first = build(*request);
  const Owned second = build(*request);
  EXPECT_NE(first.get(), second.get()) << "two requests share one scope dict";
  PyDict_SetItemString(first.get(), "left by the first", Py_True);
  EXPECT_FALSE(value(build(*request), "left by the first"))
      << "a request sees what an earlier one left in its scope";
}

TEST_F(ScopeTemplateTest, GivesEveryRequestItsOwnAsgiDictHeadersAndState) {
  const auto request = make_request("/", {}, {{"host", "h"}});
  run("state = {'shared': []}");
  const Owned first = build(*request, global("state"));
  const Owned second = build(*request, global("state"));
  for (const char* const key : {"asgi", "headers", "state"}) {
    EXPECT_NE(value(first, key).get(), value(second, key).get()) << key;
  }
  PyDict_SetItemString(value(first, "state").get(), "mine", Py_True);
  EXPECT_EQ(repr(global("state")), "{'shared': []}");
  EXPECT_EQ(PyDict_GetItemString(value(first, "state").get(), "shared"),
            PyDict_GetItemString(value(second, "state").get(), "shared"));
}

TEST_F(ScopeTemplateTest, IsTheOnlyHolderOfItsValues) {
  const auto request = make_request("/some/path", "query", {{"name", "value"}});
  const Owned scope = build(*request);
  for (const char* const key :
       {"asgi", "client", "headers", "state", "path", "raw_path", "query_string"}) {
    EXPECT_EQ(Py_REFCNT(value(scope, key).get()), 1)
        << "something beside the scope holds its value of " << key;
  }
}

TEST_F(ScopeTemplateTest, LeavesNothingBehind) {
  const auto request = make_request("/some/path", "query", {{"name", "value"}});
  run("state = {'a': 1}");
  EXPECT_LE(growth_over_10000_calls([&] { build(*request, global("state")); }), kGrowthMax);
}

}  // namespace
}  // namespace overbite::python
