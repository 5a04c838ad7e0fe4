// The reader of the application's header list, on Python objects of every kind and temper.
//
// Oracles: no exception is pending after success, one is after failure; what was read is just what
// a well-behaved list held, and never a field the refusal stops; every object ends with the
// reference count it began with.
//
// Input: status kind (1 byte) and number (2), list kind (1), then fields: pair kind (1), and for
// name and value each kind (1), length (1), bytes.
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/input.h"
#include "server/base/check.h"
#include "server/http/ascii.h"
#include "server/http/refusal.h"
#include "server/python/read_head.h"
#include "server/python/refs.h"

// The interpreter's own start-up memory would be reported as leaks before the first input; leaks of
// ours are found by the reference counts.
extern "C" int __lsan_is_turned_off();
extern "C" int __lsan_is_turned_off() { return 1; }

namespace overbite::fuzz {
namespace {

using python::Borrowed;
using python::Owned;
using Fields = std::vector<std::pair<std::string, std::string>>;

// Sequences that lie about their length, change while they are read, or raise.
constexpr const char* kHostileTypes = R"(
class Status(int):
    def __int__(self): return 204
    def __index__(self): return 204

class LongList(list):
    def __len__(self): return list.__len__(self) + 7

class NegativeList(list):
    def __len__(self): return -3

class HugeList(list):
    def __len__(self): return 1 << 62
    def __iter__(self): return list.__iter__(self)

class ClearingList(list):
    def __iter__(self):
        for item in list(list.__iter__(self)):
            list.clear(self)
            yield item

class GrowingList(list):
    def __iter__(self):
        for item in list(list.__iter__(self)):
            list.append(self, item)
            yield item

class RaisingList(list):
    def __iter__(self):
        yield from list.__iter__(self)
        raise LookupError('end')

class GetItemOnly:
    def __init__(self, items): self.items = items
    def __getitem__(self, i): return self.items[i]

class LongPair(tuple):
    def __len__(self): return 2
    def __iter__(self): return iter((*tuple.__iter__(self), b'third'))

class ShortPair(list):
    def __len__(self): return 2
    def __iter__(self): return iter(())

class ClearingPair(list):
    def __iter__(self):
        name, value = list.__iter__(self)
        list.clear(self)
        yield name
        yield value

class RaisingPair(list):
    def __iter__(self): raise LookupError('pair')

class Name(bytes):
    def __len__(self): return 0
    def lower(self): return b'x\r\ny'

class Growing(bytearray):
    def __len__(self):
        self.extend(b'more')
        return 1

def generate(items):
    yield from items
)";

PyObject* namespace_of_types = nullptr;  // lives as long as the process

Owned call_type(const char* name, PyObject* argument) {
  PyObject* const type = PyDict_GetItemString(namespace_of_types, name);
  CHECK(type != nullptr);
  return Owned::steal(PyObject_CallOneArg(type, argument));
}

Owned bytes_of(std::string_view text) {
  return Owned::steal(PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

// Everything built for one input. `plain` holds while the list is one that must be read as it is.
struct Case {
  std::vector<Owned> leaves;
  Fields expected;
  long status = 0;
  bool plain_status = false;
  bool plain = true;
  bool must_fail = false;  // somewhere is no pair, no iterable, or an iterator that raises
};

Owned make_status(Input& input, Case& c) {
  const std::uint8_t kind = input.byte();
  const long number = static_cast<long>(input.two_bytes());
  c.status = number;
  switch (kind % 8) {
    case 0:
    case 1:
      c.plain_status = number >= 100 && number <= 599;
      return Owned::steal(PyLong_FromLong(number));
    case 2:
      c.status = -number;
      return Owned::steal(PyLong_FromLong(-number));
    case 3:  // equal to a status modulo 2^32, and its negative
      c.status = (number % 2 == 0 ? 1 : -1) * (1L << 32) + number;
      return Owned::steal(PyLong_FromLong(c.status));
    case 4: {
      const Owned shift = Owned::steal(PyLong_FromLong(200));
      const Owned one = Owned::steal(PyLong_FromLong(number | 1));
      c.status = 0;
      return Owned::steal(PyNumber_Lshift(one.get(), shift.get()));
    }
    case 5: {
      const Owned value = Owned::steal(PyLong_FromLong(number));
      return call_type("Status", value.get());
    }
    case 6:
      return Owned::share(number % 2 == 0 ? Py_True : Py_None);
    default:
      return Owned::steal(PyUnicode_FromString("200"));
  }
}

Owned make_text(Input& input, std::string& text, bool& plain) {
  const std::uint8_t kind = input.byte();
  text = input.take(input.byte());
  if (kind % 8 > 2) {
    plain = false;
  }
  const Owned bytes = bytes_of(text);
  switch (kind % 8) {
    case 0:
    case 1:
      return bytes_of(text);
    case 2:
      return Owned::steal(PyByteArray_FromObject(bytes.get()));
    case 3:
      return Owned::steal(PyMemoryView_FromObject(bytes.get()));
    case 4:
      return Owned::steal(
          PyUnicode_DecodeLatin1(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr));
    case 5:
      return text.size() % 2 == 0 ? Owned::steal(PyDict_New())
                                  : Owned::steal(PyLong_FromSize_t(text.size()));
    case 6:
      return call_type("Name", bytes.get());
    default:
      return call_type("Growing", bytes.get());
  }
}

// `kind` decides the type; the leaves stay owned by the case.
Owned make_pair(std::uint8_t kind, PyObject* name, PyObject* value, bool& plain) {
  const Owned list = Owned::steal(PyList_New(0));
  PyList_Append(list.get(), name);
  PyList_Append(list.get(), value);
  plain = plain && kind % 10 <= 2;
  switch (kind % 10) {
    case 0:
    case 1:
      return Owned::steal(PyTuple_Pack(2, name, value));
    case 2:
      return Owned::steal(PySequence_List(list.get()));
    case 3:
      return Owned::steal(PyTuple_Pack(3, name, value, value));
    case 4:
      return Owned::steal(PyTuple_Pack(1, name));
    case 5:
      return call_type("LongPair", list.get());
    case 6:
      return call_type("ShortPair", list.get());
    case 7:
      return call_type("ClearingPair", list.get());
    case 8:
      return call_type("RaisingPair", list.get());
    default:
      return Owned::share(name);  // no pair at all: bytes of any length, a number, a dict
  }
}

Owned make_list(std::uint8_t kind, PyObject* items, bool& plain) {
  plain = plain && kind % 14 <= 4;
  switch (kind % 14) {
    case 0:
    case 1:
      return Owned::steal(PySequence_List(items));
    case 2:
      return Owned::steal(PySequence_Tuple(items));
    case 3:
      return call_type("generate", items);
    case 4:
      return call_type("GetItemOnly", items);
    case 5:
      return call_type("LongList", items);
    case 6:
      return call_type("NegativeList", items);
    case 7:
      return call_type("HugeList", items);
    case 8:
      return call_type("ClearingList", items);
    case 9:
      return call_type("GrowingList", items);
    case 10:
      return call_type("RaisingList", items);
    case 11:
      return Owned::share(Py_None);
    case 12:
      return Owned::steal(PyLong_FromLong(7));
    default:
      return Owned::steal(PyDict_New());
  }
}

Owned make_headers(Input& input, Case& c) {
  const std::uint8_t list_kind = input.byte();
  const Owned items = Owned::steal(PyList_New(0));
  while (!input.empty()) {
    const std::uint8_t pair_kind = input.byte();
    std::string name;
    std::string value;
    Owned name_object = make_text(input, name, c.plain);
    Owned value_object = make_text(input, value, c.plain);
    CHECK(name_object && value_object);
    // A list that clears itself, or is none, never shows its pairs.
    c.must_fail =
        c.must_fail || (list_kind % 14 <= 5 && (pair_kind % 10 == 3 || pair_kind % 10 == 4 ||
                                                pair_kind % 10 == 6 || pair_kind % 10 == 8));
    const Owned pair = make_pair(pair_kind, name_object.get(), value_object.get(), c.plain);
    CHECK(pair);
    PyList_Append(items.get(), pair.get());
    c.leaves.push_back(std::move(name_object));
    c.leaves.push_back(std::move(value_object));
    for (char& letter : name) {
      letter = http::to_lower(letter);
    }
    c.expected.emplace_back(std::move(name), std::move(value));
  }
  c.must_fail = c.must_fail || (list_kind % 14 >= 10 && list_kind % 14 <= 12);
  return make_list(list_kind, items.get(), c.plain);
}

bool is_refused(const Fields& fields) {
  for (const auto& [name, value] : fields) {
    if (http::refuse_field(name, value) != http::Refusal::kNone) {
      return true;
    }
  }
  return false;
}

void check_read(const Case& c, bool read, const http::ResponseHead& head) {
  CHECK_EQ(read, PyErr_Occurred() == nullptr);
  if (!read) {
    // An error of the interpreter's contract, not of the application's list.
    CHECK(!PyErr_ExceptionMatches(PyExc_SystemError));
    CHECK(!(c.plain && c.plain_status) || is_refused(c.expected));
    PyErr_Clear();
    return;
  }
  CHECK(!c.must_fail);
  CHECK(head.status >= 100 && head.status <= 599);
  for (std::size_t i = 0; i < head.size(); ++i) {
    CHECK(http::refuse_field(head.name(i), head.value(i)) == http::Refusal::kNone);
    CHECK(head.field(i).kind == http::classify_field(head.name(i)));
  }
  if (c.plain_status) {
    CHECK_EQ(static_cast<long>(head.status), c.status);
  }
  if (c.plain) {
    CHECK_EQ(head.size(), c.expected.size());
    for (std::size_t i = 0; i < head.size(); ++i) {
      CHECK_EQ(head.name(i), c.expected[i].first);
      CHECK_EQ(head.value(i), c.expected[i].second);
    }
  }
}

// Objects that CPython hands out for every equal value are held by others too: their counts tell
// nothing.
bool is_shared(PyObject* object) {
  if (object == Py_None || PyBool_Check(object)) {
    return true;
  }
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    const long value = PyLong_AsLongAndOverflow(object, &overflow);
    return overflow == 0 && value >= -5 && value <= 256;
  }
  return (PyBytes_CheckExact(object) && PyBytes_GET_SIZE(object) <= 1) ||
         (PyUnicode_CheckExact(object) && PyUnicode_GET_LENGTH(object) <= 1);
}

// The containers are gone: only the case itself holds the leaves.
void check_counts(const Case& c) {
  std::map<PyObject*, Py_ssize_t> held;
  for (const Owned& leaf : c.leaves) {
    ++held[leaf.get()];
  }
  for (const auto& [leaf, count] : held) {
    CHECK(is_shared(leaf) || Py_REFCNT(leaf) == count);
  }
}

void run(Input input) {
  Case c;
  {
    Owned status = make_status(input, c);
    CHECK(status);
    Owned headers = make_headers(input, c);
    CHECK(headers);
    const Py_ssize_t status_count = Py_REFCNT(status.get());
    const Py_ssize_t headers_count = Py_REFCNT(headers.get());
    http::ResponseHead head;
    head.add(http::FieldKind::kOrdinary, "stale", "field");
    const bool read = python::read_asgi_head(status.borrow(), headers.borrow(), head);
    check_read(c, read, head);
    CHECK(is_shared(status.get()) || Py_REFCNT(status.get()) == status_count);
    CHECK(is_shared(headers.get()) || Py_REFCNT(headers.get()) == headers_count);
  }
  check_counts(c);
  c.leaves.clear();
  CHECK(PyErr_Occurred() == nullptr);
}

void start_interpreter(const char* program) {
  PyPreConfig preconfig;
  PyPreConfig_InitIsolatedConfig(&preconfig);
  // The default allocator's pools hide a read past the end of an object from AddressSanitizer.
  preconfig.allocator = PYMEM_ALLOCATOR_MALLOC;
  CHECK(!PyStatus_Exception(Py_PreInitialize(&preconfig)));
  PyConfig config;
  PyConfig_InitIsolatedConfig(&config);
  config.site_import = 0;
  config.install_signal_handlers = 0;
  // A standard library that was shipped beside the program is found by it.
  CHECK(!PyStatus_Exception(PyConfig_SetBytesString(&config, &config.program_name, program)));
  CHECK(!PyStatus_Exception(Py_InitializeFromConfig(&config)));
  PyConfig_Clear(&config);
  namespace_of_types = PyDict_New();
  PyDict_SetItemString(namespace_of_types, "__builtins__", PyEval_GetBuiltins());
  const Owned ran = Owned::steal(
      PyRun_String(kHostileTypes, Py_file_input, namespace_of_types, namespace_of_types));
  if (!ran) {
    PyErr_Print();
  }
  CHECK(ran);
}

}  // namespace
}  // namespace overbite::fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  CHECK_LT(0, *argc);
  overbite::fuzz::start_interpreter((*argv)[0]);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  overbite::fuzz::run(overbite::fuzz::Input(data, size));
  return 0;
}
