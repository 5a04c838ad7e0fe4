#include "server/python/wsgi.h"
#include "tests/python/python_test.h"

namespace overbite::python {
namespace {

struct EnvironTemplateTest : PythonTest {
  Owned build(const request::Request& request) {
    if (!made) {
      made.emplace(EnvironTemplate::make(script_name, multithread, quirks));
    }
    EXPECT_TRUE(made->ok()) << made->error();
    Owned environ = made->value().build(request);
    EXPECT_TRUE(environ) << take_exception_text();
    return environ;
  }
  static Borrowed value(const Owned& environ, const char* key) {
    return Borrowed(PyDict_GetItemString(environ.get(), key));
  }
  static std::string text(const Owned& environ, const char* key) {
    const Borrowed found = value(environ, key);
    return found ? repr(found) : "missing";
  }

  std::string script_name;
  bool multithread = true;
  http::Quirks quirks;
  std::optional<base::Result<EnvironTemplate>> made;
};

TEST_F(EnvironTemplateTest, HoldsWhatPep3333AsksFor) {
  script_name = "/mounted";
  const Owned environ = build(*make_request("/a%20b/%c3%a9", "q=%20"));
  EXPECT_EQ(text(environ, "REQUEST_METHOD"), "'GET'");
  EXPECT_EQ(text(environ, "SCRIPT_NAME"), "'/mounted'");
  EXPECT_EQ(text(environ, "PATH_INFO"), "'/a b/\xc3\x83\xc2\xa9'") << "bytes as latin-1";
  EXPECT_EQ(text(environ, "QUERY_STRING"), "'q=%20'");
  EXPECT_EQ(text(environ, "SERVER_NAME"), "'127.0.0.1'");
  EXPECT_EQ(text(environ, "SERVER_PORT"), "'8000'");
  EXPECT_EQ(text(environ, "SERVER_PROTOCOL"), "'HTTP/1.1'");
  EXPECT_EQ(text(environ, "REMOTE_ADDR"), "'127.0.0.1'");
  EXPECT_EQ(text(environ, "REMOTE_PORT"), "'4000'");
  EXPECT_EQ(text(environ, "CONTENT_TYPE"), "missing");
  EXPECT_EQ(text(environ, "CONTENT_LENGTH"), "missing");
  EXPECT_EQ(text(environ, "wsgi.version"), "(1, 0)");
  EXPECT_EQ(text(environ, "wsgi.url_scheme"), "'http'");
  EXPECT_EQ(text(environ, "wsgi.multithread"), "True");
  EXPECT_EQ(text(environ, "wsgi.multiprocess"), "False");
  EXPECT_EQ(text(environ, "wsgi.run_once"), "False");
  EXPECT_EQ(text(environ, "wsgi.input_terminated"), "True");
  EXPECT_EQ(value(environ, "wsgi.errors").get(), PySys_GetObject("stderr"));
}

TEST_F(EnvironTemplateTest, SaysWhenOnlyOneThreadCalls) {
  multithread = false;
  EXPECT_EQ(text(build(*make_request("/")), "wsgi.multithread"), "False");
}

TEST_F(EnvironTemplateTest, PassesTheStandardValidator) {
  run("from wsgiref.validate import check_environ");
  const auto request = make_request("/", "", {{"host", "h"}, {"content-length", "3"}});
  request->body = "abc";
  const Owned environ = build(*request);
  const Owned checked =
      Owned::steal(PyObject_CallOneArg(global("check_environ").get(), environ.get()));
  EXPECT_TRUE(checked) << take_exception_text();
}

TEST_F(EnvironTemplateTest, NamesTheFieldsOfTheRequest) {
  const Owned environ = build(*make_request("/",
                                            "",
                                            {{"content-type", "a/b"},
                                             {"content-length", "3"},
                                             {"x-multi", "1"},
                                             {"x-multi", "2"},
                                             {"x-latin", "\xe9"}}));
  EXPECT_EQ(text(environ, "CONTENT_TYPE"), "'a/b'");
  EXPECT_EQ(text(environ, "CONTENT_LENGTH"), "'3'");
  EXPECT_EQ(text(environ, "HTTP_CONTENT_LENGTH"), "missing");
  EXPECT_EQ(text(environ, "HTTP_X_MULTI"), "'1,2'");
  EXPECT_EQ(text(environ, "HTTP_X_LATIN"), "'\xc3\xa9'");
}

TEST_F(EnvironTemplateTest, AnUnderscoredNameNeverReplacesADashedOne) {
  EXPECT_EQ(text(build(*make_request("/", "", {{"x-user", "real"}, {"x_user", "forged"}})),
                 "HTTP_X_USER"),
            "'real,forged'");
  EXPECT_EQ(text(build(*make_request("/", "", {{"content-length", "1"}, {"content_length", "2"}})),
                 "CONTENT_LENGTH"),
            "'1'");
}

TEST_F(EnvironTemplateTest, JoinsCookiesAsOneList) {
  EXPECT_EQ(
      text(build(*make_request("/", "", {{"cookie", "a=1"}, {"cookie", "b=2"}})), "HTTP_COOKIE"),
      "'a=1; b=2'");
}

TEST_F(EnvironTemplateTest, JoinsCookiesByCommaUnderTheReferencesRules) {
  quirks.wsgi_comma_cookies = true;
  EXPECT_EQ(
      text(build(*make_request("/", "", {{"cookie", "a=1"}, {"cookie", "b=2"}})), "HTTP_COOKIE"),
      "'a=1,b=2'");
}

TEST_F(EnvironTemplateTest, GivesTheBodyAsAFile) {
  const auto request = make_request("/");
  request->body = std::string("a\n\0b", 4);
  const Owned environ = build(*request);
  const Owned lines =
      Owned::steal(PyObject_CallMethod(value(environ, "wsgi.input").get(), "readlines", nullptr));
  EXPECT_EQ(repr(lines.borrow()), "[b'a\\n', b'\\x00b']");
}

TEST_F(EnvironTemplateTest, HasNoRemoteWithoutAnAddress) {
  const auto request = make_request("/");
  request->endpoints = std::make_shared<request::Endpoints>();
  const Owned environ = build(*request);
  EXPECT_EQ(text(environ, "REMOTE_ADDR"), "missing");
  EXPECT_EQ(text(environ, "SERVER_NAME"), "'localhost'");
  EXPECT_EQ(text(environ, "SERVER_PORT"), "'80'");
}

TEST_F(EnvironTemplateTest, IsADictOfItsOwnForEveryRequest) {
  const Owned first = build(*make_request("/first", "", {{"x-secret", "of the first"}}));
  const Owned second = build(*make_request("/second"));
  EXPECT_NE(first.get(), second.get()) << "two requests share one environ dict";
  EXPECT_EQ(text(second, "HTTP_X_SECRET"), "missing") << "a request sees a field of an earlier one";
  EXPECT_EQ(text(first, "PATH_INFO"), "'/first'");
}

TEST_F(EnvironTemplateTest, LeavesNothingBehind) {
  const auto request =
      make_request("/some/path", "q", {{"x-multi", "1"}, {"x-multi", "2"}, {"host", "h"}});
  EXPECT_LE(growth_over_10000_calls([&] { build(*request); }), kGrowthMax);
}

}  // namespace
}  // namespace overbite::python
