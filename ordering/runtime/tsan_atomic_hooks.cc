// Atomic operations. Each is a scheduling point; its value is the newest one whatever its order
// says (sequential consistency), its happens-before is what its order says.
#include <cstdint>
#include <utility>

#include "ordering/runtime/machine.h"

namespace {

using overbite::ordering::Event;
using overbite::ordering::Machine;
using overbite::ordering::ModelCall;
using overbite::ordering::Object;
using overbite::ordering::ObjectKind;
using overbite::ordering::Operation;
using overbite::ordering::OpKind;

constexpr int kSeqCst = __ATOMIC_SEQ_CST;

template <typename T>
Object& reach(Machine& machine, OpKind kind, const volatile T* at, T expected, const void* pc) {
  Operation op;
  op.kind = kind;
  op.size = sizeof(T);
  op.address = const_cast<const T*>(at);
  op.object = machine.objects().at_address(ObjectKind::kAtomic, op.address, sizeof(T));
  op.expected = expected;
  op.pc = pc;
  if (machine.objects()[op.object].size != sizeof(T)) {
    machine.stop_unmodelled("one atomic accessed in two sizes");
  }
  machine.reach(op);
  return machine.objects()[op.object];
}

template <typename T>
void note(Machine& machine, const volatile T* at, T read, T written, bool write, const void* pc) {
  machine.event().read = read;
  machine.event().written = written;
  machine.access({const_cast<const T*>(at), sizeof(T), write, true, pc});
}

template <typename T>
T load(const volatile T* at, int order, const void* pc) {
  const ModelCall call;
  if (!call) {
    return __atomic_load_n(at, kSeqCst);
  }
  Object& object = reach<T>(*call, OpKind::kLoad, at, 0, pc);
  const T value = *at;
  note<T>(*call, at, value, 0, false, pc);
  call->atomic_load(object, order);
  return value;
}

template <typename T>
void store(volatile T* at, T value, int order, const void* pc) {
  const ModelCall call;
  if (!call) {
    __atomic_store_n(at, value, kSeqCst);
    return;
  }
  Object& object = reach<T>(*call, OpKind::kStore, at, 0, pc);
  note<T>(*call, at, *at, value, true, pc);
  *at = value;
  call->atomic_store(object, order);
}

template <typename T, typename Change>
T update(volatile T* at, int order, const void* pc, Change change) {
  const ModelCall call;
  if (!call) {
    T before = __atomic_load_n(at, kSeqCst);
    while (!__atomic_compare_exchange_n(at, &before, change(before), true, kSeqCst, kSeqCst)) {
    }
    return before;
  }
  Object& object = reach<T>(*call, OpKind::kRmw, at, 0, pc);
  const T before = *at;
  const T after = change(before);
  note<T>(*call, at, before, after, true, pc);
  *at = after;
  call->atomic_rmw(object, order);
  return before;
}

// Never fails spuriously, also in its weak form.
template <typename T>
bool exchange_if(volatile T* at, T& expected, T desired, int order, int failed, const void* pc) {
  const ModelCall call;
  if (!call) {
    return __atomic_compare_exchange_n(at, &expected, desired, false, kSeqCst, kSeqCst);
  }
  Object& object = reach<T>(*call, OpKind::kCas, at, expected, pc);
  const T before = *at;
  const bool same = before == expected;
  call->event().succeeded = same;
  note<T>(*call, at, before, same ? desired : before, same, pc);
  if (same) {
    *at = desired;
    call->atomic_rmw(object, order);
  } else {
    expected = before;
    call->atomic_load(object, failed);
  }
  return same;
}

}  // namespace

#define OVERBITE_PC __builtin_return_address(0)
// `bits` of 8, 16, 32, 64 by twelve operations.
#define OVERBITE_ATOMIC(bits, T)                                                                 \
  T __tsan_atomic##bits##_load(const volatile T* a, int mo) { return load(a, mo, OVERBITE_PC); } \
  void __tsan_atomic##bits##_store(volatile T* a, T v, int mo) { store(a, v, mo, OVERBITE_PC); } \
  T __tsan_atomic##bits##_exchange(volatile T* a, T v, int mo) {                                 \
    return update(a, mo, OVERBITE_PC, [v](T) { return v; });                                     \
  }                                                                                              \
  T __tsan_atomic##bits##_fetch_add(volatile T* a, T v, int mo) {                                \
    return update(a, mo, OVERBITE_PC, [v](T x) { return static_cast<T>(x + v); });               \
  }                                                                                              \
  T __tsan_atomic##bits##_fetch_sub(volatile T* a, T v, int mo) {                                \
    return update(a, mo, OVERBITE_PC, [v](T x) { return static_cast<T>(x - v); });               \
  }                                                                                              \
  T __tsan_atomic##bits##_fetch_and(volatile T* a, T v, int mo) {                                \
    return update(a, mo, OVERBITE_PC, [v](T x) { return static_cast<T>(x & v); });               \
  }                                                                                              \
  T __tsan_atomic##bits##_fetch_or(volatile T* a, T v, int mo) {                                 \
    return update(a, mo, OVERBITE_PC, [v](T x) { return static_cast<T>(x | v); });               \
  }                                                                                              \
  T __tsan_atomic##bits##_fetch_xor(volatile T* a, T v, int mo) {                                \
    return update(a, mo, OVERBITE_PC, [v](T x) { return static_cast<T>(x ^ v); });               \
  }                                                                                              \
  T __tsan_atomic##bits##_fetch_nand(volatile T* a, T v, int mo) {                               \
    return update(a, mo, OVERBITE_PC, [v](T x) { return static_cast<T>(~(x & v)); });            \
  }                                                                                              \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* a, T* c, T v, int mo, int fmo) { \
    return exchange_if(a, *c, v, mo, fmo, OVERBITE_PC) ? 1 : 0;                                  \
  }                                                                                              \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* a, T* c, T v, int mo, int fmo) {   \
    return exchange_if(a, *c, v, mo, fmo, OVERBITE_PC) ? 1 : 0;                                  \
  }                                                                                              \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* a, T c, T v, int mo, int fmo) {       \
    exchange_if(a, c, v, mo, fmo, OVERBITE_PC);                                                  \
    return c;                                                                                    \
  }

extern "C" {

OVERBITE_ATOMIC(8, std::uint8_t)
OVERBITE_ATOMIC(16, std::uint16_t)
OVERBITE_ATOMIC(32, std::uint32_t)
OVERBITE_ATOMIC(64, std::uint64_t)

void __tsan_atomic_thread_fence(int order) {
  const ModelCall call;
  if (call) {
    call->fence(order);
  } else {
    __atomic_thread_fence(kSeqCst);
  }
}
void __tsan_atomic_signal_fence(int /*order*/) {}

}  // extern "C"

#undef OVERBITE_ATOMIC
#undef OVERBITE_PC
