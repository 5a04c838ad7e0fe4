// Keys of pthread_getspecific. Each thread numbers the keys that it makes, so that a key does not
// depend on who came first.
#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include "ordering/runtime/hook.h"

namespace overbite::ordering {

// Out of reach of libc's; of those every thread has its own value here, too, but no destructor.
static constexpr pthread_key_t kFirstKey = 1 << 16;
static constexpr pthread_key_t kKeysPerThread = PTHREAD_KEYS_MAX;

static Machine::Key* find_key(Machine& machine, pthread_key_t key) {
  auto& all = machine.keys();
  const auto found = std::find_if(
      all.begin(), all.end(), [key](const Machine::Key& other) { return other.number == key; });
  return found == all.end() ? nullptr : &*found;
}

static void*& value_of(Machine& machine, pthread_key_t key) {
  auto& all = machine.key_values();
  const auto found =
      std::find_if(all.begin(), all.end(), [key](const auto& value) { return value.first == key; });
  return found != all.end() ? found->second : all.emplace_back(key, nullptr).second;
}

void run_key_destructors(Machine& machine) {
  bool any = true;
  for (int round = 0; any && round < PTHREAD_DESTRUCTOR_ITERATIONS; ++round) {
    any = false;
    for (std::size_t i = 0; i < machine.key_values().size(); ++i) {
      const auto [number, value] = machine.key_values()[i];
      const Machine::Key* const key = find_key(machine, number);
      if (key == nullptr || key->destructor == nullptr || value == nullptr) {
        continue;
      }
      machine.key_values()[i].second = nullptr;
      any = true;
      auto* const destructor = key->destructor;
      Machine::leave(&machine);
      destructor(value);
      Machine::enter();
    }
  }
}

}  // namespace overbite::ordering

using namespace overbite::ordering;

extern "C" {

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  OVERBITE_OR_REAL(pthread_key_create, key, destructor);
  const auto first = kFirstKey + kKeysPerThread * static_cast<pthread_key_t>(call->thread());
  pthread_key_t number = first;
  while (find_key(*call, number) != nullptr) {
    ++number;
  }
  if (number - first >= kKeysPerThread) {
    return EAGAIN;
  }
  call->keys().push_back({number, destructor});
  *key = number;
  return 0;
}

int pthread_key_delete(pthread_key_t key) {
  OVERBITE_OR_REAL(pthread_key_delete, key);
  Machine::Key* const known = find_key(*call, key);
  if (known == nullptr) {
    return EINVAL;
  }
  known->destructor = nullptr;  // its number is not used again
  return 0;
}

void* pthread_getspecific(pthread_key_t key) {
  OVERBITE_OR_REAL(pthread_getspecific, key);
  return value_of(*call, key);
}

int pthread_setspecific(pthread_key_t key, const void* value) {
  OVERBITE_OR_REAL(pthread_setspecific, key, value);
  value_of(*call, key) = const_cast<void*>(value);
  return 0;
}

}  // extern "C"
