#include "server/python/read_head.h"

#include <array>

#include "tests/python/python_test.h"

namespace overbite::python {
namespace {

using http::FieldKind;

struct ReadHeadTest : PythonTest {
  // "name=value|name=value", or the class of the exception.
  std::string asgi(const std::string& headers, const std::string& status = "200") {
    const Owned status_object = eval(status);
    const Owned headers_object = eval(headers);
    return read_asgi_head(status_object.borrow(), headers_object.borrow(), head)
               ? fields()
               : take_exception_type();
  }
  std::string wsgi(const std::string& headers, const std::string& status = "'200 OK'") {
    const Owned status_object = eval(status);
    const Owned headers_object = eval(headers);
    return read_wsgi_head(status_object.borrow(), headers_object.borrow(), quirks, head)
               ? fields()
               : take_exception_type();
  }
  std::string fields() const {
    EXPECT_EQ(PyErr_Occurred(), nullptr);
    std::string shown;
    for (std::size_t i = 0; i < head.size(); ++i) {
      shown += (i > 0 ? "|" : "") + std::string(head.name(i)) + "=" + std::string(head.value(i));
    }
    return shown;
  }

  http::Quirks quirks;
  http::ResponseHead head;
};

TEST_F(ReadHeadTest, KeepsTheOrderAndLowersTheNames) {
  EXPECT_EQ(asgi("[(b'X-B', b'Two'), (b'X-A', b'One'), (b'X-B', b'3')]"), "x-b=Two|x-a=One|x-b=3");
  EXPECT_EQ(head.status, 200);
  EXPECT_FALSE(head.own_reason);
}

TEST_F(ReadHeadTest, TakesListsTuplesAndBytearrays) {
  EXPECT_EQ(asgi("([b'a', b'1'], (bytearray(b'B'), bytearray(b'2')))"), "a=1|b=2");
  EXPECT_EQ(asgi("[]"), "");
  EXPECT_EQ(asgi("()"), "");
}

TEST_F(ReadHeadTest, TakesAnyIterableOfIterables) {
  EXPECT_EQ(asgi("(iter([bytes([97 + i]), b'v']) for i in range(3))"), "a=v|b=v|c=v");
  EXPECT_EQ(asgi("{b'name': 1, b'other': 2}.keys()"), "ValueError");
  EXPECT_EQ(asgi("None"), "TypeError");
  EXPECT_EQ(asgi("[7]"), "TypeError");
}

TEST_F(ReadHeadTest, TakesAnEnumMemberAsStatus) {
  run("import http");
  EXPECT_EQ(asgi("[]", "http.HTTPStatus.NOT_FOUND"), "");
  EXPECT_EQ(head.status, 404);
}

TEST_F(ReadHeadTest, KnowsNoStatusOutsideTheTable) {
  for (const char* const status : {"99", "600", "0", "-1", "10**30", "'200'", "None", "True"}) {
    EXPECT_EQ(asgi("[]", status), "KeyError") << status;
  }
  EXPECT_EQ(asgi("[]", "100"), "");
  EXPECT_EQ(asgi("[]", "599"), "");
}

TEST_F(ReadHeadTest, RaisesForWhatIsNotBytes) {
  for (const char* const pair :
       {"('a', b'1')", "(b'a', '1')", "(b'a', 1)", "(b'a', None)", "(memoryview(b'a'), b'1')"}) {
    EXPECT_EQ(asgi("[" + std::string(pair) + "]"), "TypeError") << pair;
  }
}

TEST_F(ReadHeadTest, RaisesForAPairThatIsNoPair) {
  EXPECT_EQ(asgi("[(b'a', b'1', b'x')]"), "ValueError");
  EXPECT_EQ(asgi("[(b'a',)]"), "ValueError");
  EXPECT_EQ(asgi("[[]]"), "ValueError");
}

TEST_F(ReadHeadTest, RefusesWhatWouldSplitTheResponse) {
  for (const char* const pair : {R"((b'a', b'1\r\nx: y'))",
                                 R"((b'a', b'1\n'))",
                                 R"((b'a', b'\0'))",
                                 R"((b'a\n', b'1'))",
                                 R"((b'a b', b'1'))"}) {
    EXPECT_EQ(asgi("[(b'good', b'1'), " + std::string(pair) + "]"), "RuntimeError") << pair;
  }
}

TEST_F(ReadHeadTest, TellsTheFieldsOfTheServerApart) {
  asgi(
      "[(b'Set-Cookie', b'a=1'), (b'set-cookie', b'b=2'), (b'Content-Length', b'0'),"
      " (b'Transfer-Encoding', b'chunked'), (b'Connection', b'close'), (b'x', b'y')]");
  ASSERT_EQ(head.size(), 6U);
  const std::array kinds = {FieldKind::kSetCookie,
                            FieldKind::kSetCookie,
                            FieldKind::kContentLength,
                            FieldKind::kTransferEncoding,
                            FieldKind::kConnection,
                            FieldKind::kOrdinary};
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    EXPECT_EQ(head.field(i).kind, kinds[i]) << i;
  }
}

TEST_F(ReadHeadTest, AsksASubclassForItsItemsAndNotForItsLength) {
  run("class Lying(list):\n"
      "  def __len__(self): return 1000\n"
      "  def __iter__(self): return iter([(b'told', b'1')])\n");
  EXPECT_EQ(asgi("Lying([(b'a', b'1'), (b'b', b'2')])"), "told=1");
}

TEST_F(ReadHeadTest, SurvivesAPairThatEmptiesTheList) {
  run("headers = []\n"
      "class Emptying:\n"
      "  def __iter__(self):\n"
      "    headers.clear()\n"
      "    return iter([b'x-emptying', b'1'])\n"
      "headers.extend([(b'first' * 10, b'1' * 100), Emptying(), (b'last' * 10, b'2' * 100)])\n");
  const std::string seen = asgi("headers");
  EXPECT_NE(seen.find("first"), std::string::npos);
  EXPECT_NE(seen.find("last"), std::string::npos);
}

TEST_F(ReadHeadTest, SurvivesAPairThatResizesAnEarlierName) {
  run("name = bytearray(b'early')\n"
      "class Resizing:\n"
      "  def __iter__(self):\n"
      "    name.extend(b'-grown' * 1000)\n"
      "    return iter([b'x', b'1'])\n");
  EXPECT_TRUE(asgi("[(name, b'1'), Resizing()]").starts_with("early-grown-grown"));
}

TEST_F(ReadHeadTest, LeavesTheReferenceCountsAlone) {
  constexpr int kReads = 100;
  constexpr int kSpare = 1000;  // so that a released reference shows as a count, not as a crash
  run("pairs = [(b'x-name-%d' % i, b'value-%d' % i) for i in range(3)]");
  const Owned status = eval("200");
  const Borrowed pairs = global("pairs");
  std::vector<PyObject*> objects;
  for (Py_ssize_t i = 0; i < 3; ++i) {
    PyObject* const pair = PyList_GetItem(pairs.get(), i);
    objects.insert(objects.end(), {pair, PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1)});
  }
  std::vector<Py_ssize_t> before;
  for (PyObject* const object : objects) {
    for (int i = 0; i < kSpare; ++i) {
      Py_INCREF(object);
    }
    before.push_back(Py_REFCNT(object));
  }
  for (int i = 0; i < kReads; ++i) {
    ASSERT_TRUE(read_asgi_head(status.borrow(), pairs, head));
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    EXPECT_EQ(Py_REFCNT(objects[i]), before[i])
        << "reading the head changed the references to " << repr(Borrowed(objects[i]));
    for (int spare = 0; spare < kSpare - kReads; ++spare) {
      Py_DECREF(objects[i]);
    }
  }
}

TEST_F(ReadHeadTest, LeavesNothingBehindWhenItRefuses) {
  run("headers = [(b'x-name', b'value'), [b'bad', b'va\\nlue']]");
  const Owned status = eval("200");
  const Borrowed headers = global("headers");
  const auto refuse = [&] {
    ASSERT_FALSE(read_asgi_head(status.borrow(), headers, head));
    PyErr_Clear();
  };
  EXPECT_LE(growth_over_10000_calls(refuse), kGrowthMax);
}

TEST_F(ReadHeadTest, LeavesNothingBehindHoweverTheListIsMade) {
  run("class Sub(list): pass\n"
      "plain = [(b'x-name', b'value')]\n"
      "sub = Sub([(b'x-name', b'value'), Sub([b'x-other', bytearray(b'value')])])\n"
      "texts = [('X-Name', ' caf\\xe9 '), ('x-wide', 'plain\\u2003')]\n");
  const Owned status = eval("404");
  const Owned line = eval("'404 Of Our Own'");
  const auto read = [&] {
    ASSERT_TRUE(read_asgi_head(status.borrow(), global("plain"), head));
    ASSERT_TRUE(read_asgi_head(status.borrow(), global("sub"), head));
    ASSERT_TRUE(read_wsgi_head(line.borrow(), global("texts"), quirks, head));
  };
  EXPECT_LE(growth_over_10000_calls(read), kGrowthMax);
}

TEST_F(ReadHeadTest, StripsAndEncodesWsgiFields) {
  EXPECT_EQ(wsgi("[(' X-A\\t', '\\xa0 caf\\xe9 \\n'), ('B', 'in ner')]"), "x-a=caf\xe9|b=in ner");
  EXPECT_EQ(wsgi("[('a', 'plain\\u2003')]"), "a=plain");
  EXPECT_EQ(wsgi("[('a', '   '), ('b', '')]"), "a=|b=");
}

TEST_F(ReadHeadTest, RaisesForWsgiFieldsBeyondLatin1) {
  EXPECT_EQ(wsgi("[('a', '\\u20ac')]"), "UnicodeEncodeError");
  EXPECT_EQ(wsgi("[('\\u20ac', 'a')]"), "UnicodeEncodeError");
}

TEST_F(ReadHeadTest, RaisesForWsgiFieldsThatAreNoStr) {
  EXPECT_EQ(wsgi("[(b'a', 'b')]"), "TypeError");
  EXPECT_EQ(wsgi("[('a', b'b')]"), "TypeError");
  EXPECT_EQ(wsgi("[('a', 5)]"), "TypeError");
  EXPECT_EQ(wsgi("[('a', 'b', 'c')]"), "ValueError");
  EXPECT_EQ(wsgi("None"), "TypeError");
}

TEST_F(ReadHeadTest, RefusesWsgiFieldsThatWouldSplitTheResponse) {
  EXPECT_EQ(wsgi(R"([('a', 'b\r\nc: d')])"), "RuntimeError");
  EXPECT_EQ(wsgi(R"([('a b', 'c')])"), "RuntimeError");
}

TEST_F(ReadHeadTest, KeepsTheReasonOfTheApplication) {
  EXPECT_EQ(wsgi("[]", "'404 Gone Fishing'"), "");
  EXPECT_EQ(head.status, 404);
  EXPECT_EQ(head.reason, "Gone Fishing");
  EXPECT_TRUE(head.own_reason);
}

TEST_F(ReadHeadTest, ReplacesTheReasonUnderTheReferencesRules) {
  quirks.wsgi_standard_reason = true;
  EXPECT_EQ(wsgi("[]", "'404 Gone Fishing'"), "");
  EXPECT_EQ(head.status, 404);
  EXPECT_FALSE(head.own_reason);
}

TEST_F(ReadHeadTest, RaisesForAStatusLineThatIsNone) {
  EXPECT_EQ(wsgi("[]", "'200'"), "ValueError");
  EXPECT_EQ(wsgi("[]", "''"), "ValueError");
  EXPECT_EQ(wsgi("[]", "'OK 200'"), "ValueError");
  EXPECT_EQ(wsgi("[]", "' 200 OK'"), "ValueError");
  EXPECT_EQ(wsgi("[]", "b'200 OK'"), "TypeError");
  EXPECT_EQ(wsgi("[]", "200"), "TypeError");
  EXPECT_EQ(wsgi("[]", "'999 Far Out'"), "KeyError");
  EXPECT_EQ(wsgi("[]", R"('200 O\nK')"), "RuntimeError");
  EXPECT_EQ(wsgi("[]", R"('200 \u20ac')"), "UnicodeEncodeError");
}

}  // namespace
}  // namespace overbite::python
