#include "ordering/scenario.h"

#include <algorithm>
#include <string_view>

#include "ordering/runtime/machine.h"
#include "ordering/runtime/process_image.h"
#include "server/base/check.h"

namespace overbite::ordering {

namespace {

std::vector<Scenario>& registry() {
  static std::vector<Scenario> all;
  return all;
}

}  // namespace

const std::vector<Scenario>& scenarios() { return registry(); }

Registration::Registration(const char* name, const char* promise, void (*body)()) {
  auto& all = registry();
  const auto place =
      std::lower_bound(all.begin(), all.end(), name, [](const Scenario& scenario, const char* key) {
        return std::string_view(scenario.name) < key;
      });
  all.insert(place, {name, promise, body});
}

void require(bool condition, const char* message) {
  if (condition) {
    return;
  }
  const ModelCall call;
  CHECK(call);
  call->fail(FailureKind::kRequirement, message);
}

void assume(bool condition) {
  if (condition) {
    return;
  }
  const ModelCall call;
  CHECK(call);
  call->assume_failed();
}

namespace detail {

int operations_done() {
  const ModelCall call;
  CHECK(call);
  return call->done();
}

bool wait_for_change_since(int done) {
  const ModelCall call;
  CHECK(call);
  call->did_more_than_look();  // its looks are taken back: they are no turn of a loop
  return call->wait_for_change(call->done() - done, -1);
}

}  // namespace detail

int choose(int ways) {
  const ModelCall call;
  CHECK(call && ways > 0 && ways < 65536);
  Operation op;
  op.kind = OpKind::kChoose;
  op.choices = static_cast<std::uint16_t>(ways);
  return call->perform(op).choice;
}

void run_program(int (*entry)(int, char**, char**), int argc, char** argv, char** environment) {
  {
    const ModelCall call;
    CHECK(call);
    ProcessImage::shared().restore();
  }
  const int status = entry(argc, argv, environment);
  if (status != 0) {
    const ModelCall call;
    call->fail(FailureKind::kRequirement, "main() returned " + std::to_string(status));
  }
}

void name_thread(const char* name) {
  const ModelCall call;
  CHECK(call);
  call->name_thread(name);
}

void name_range(const void* address, std::size_t bytes, const char* name) {
  const ModelCall call;
  CHECK(call);
  call->objects().name(address, bytes, name);
}

void name_datagrams(std::string (*words)(const void* bytes, std::size_t size)) {
  const ModelCall call;
  CHECK(call);
  call->name_datagrams(words);
}

}  // namespace overbite::ordering
