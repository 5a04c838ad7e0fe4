// Atomic operations, in the spellings of clang and of gcc. What a load sees is the director's to
// say; memory holds the newest of what has run, for the plain code that looks at it.
#include <cstdint>
#include <cstring>
#include <mutex>

#include "ordering/runtime/machine.h"

namespace {

using overbite::ordering::acquires;
using overbite::ordering::Content;
using overbite::ordering::Machine;
using overbite::ordering::ModelCall;
using overbite::ordering::ObjectKind;
using overbite::ordering::Operation;
using overbite::ordering::OpKind;
using overbite::ordering::Result;
using overbite::ordering::RmwFunction;

constexpr int kSeqCst = __ATOMIC_SEQ_CST;

template <typename T>
Content content(T value) {
  Content result;
  std::memcpy(&result, &value, sizeof value);
  return result;
}

template <typename T>
T value(const Content& content) {
  T result;
  std::memcpy(&result, &content, sizeof result);
  return result;
}

std::uint8_t order_of(int order) { return static_cast<std::uint8_t>(order & 0x7); }

template <typename T>
Operation operation(
    Machine& machine, OpKind kind, const volatile T* at, int order, const void* pc) {
  Operation op;
  op.kind = kind;
  op.size = sizeof(T);
  op.order = machine.order_at(pc, kind, order_of(order));
  op.object =
      machine.objects().at_address(ObjectKind::kAtomic, const_cast<const T*>(at), sizeof(T));
  op.address = const_cast<const T*>(at);
  op.pc = pc;
  machine.check_size(op.object, op.address, sizeof(T));
  return op;
}

template <typename T>
void note(Machine& machine, const volatile T* at, bool write, const void* pc) {
  machine.check_atomic({const_cast<const T*>(at), sizeof(T), write, pc});
}

using Wide = unsigned __int128;

// Outside an execution. 16 bytes would be a call of what is defined here: there, one at a time.
template <typename T>
bool really_exchange_if(volatile T* at, T& expected, T desired) {
  if constexpr (sizeof(T) <= 8) {
    return __atomic_compare_exchange_n(at, &expected, desired, false, kSeqCst, kSeqCst);
  } else {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    const T before = *at;
    const bool same = before == expected;
    if (same) {
      *at = desired;
    }
    expected = before;
    return same;
  }
}

template <typename T>
T really_load(const volatile T* at) {
  if constexpr (sizeof(T) <= 8) {
    return __atomic_load_n(at, kSeqCst);
  } else {
    T seen = 0;
    really_exchange_if(const_cast<volatile T*>(at), seen, seen);
    return seen;
  }
}

template <typename T, typename Change>
T really_update(volatile T* at, Change change) {
  T before = really_load(at);
  while (!really_exchange_if(at, before, change(before))) {
  }
  return before;
}

template <typename T>
T load(const volatile T* at, int order, const void* pc) {
  const ModelCall call;
  if (!call) {
    return really_load(at);
  }
  const void* const address = const_cast<const T*>(at);
  if (const Content* told = call->counted_spin().told(pc, address)) {  // guard: spin-is-told
    return value<T>(*told);
  }
  call->look(address, pc);
  Result result;
  if (!call->repeat(OpKind::kLoad, address, result)) {
    result = call->perform(operation<T>(*call, OpKind::kLoad, at, order, pc));
    note<T>(*call, at, false, pc);
  }
  call->counted_spin().saw(pc, address, result.read);
  return value<T>(result.read);
}

template <typename T>
void store(volatile T* at, T desired, int order, const void* pc) {
  const ModelCall call;
  if (!call) {
    really_update(at, [desired](T) { return desired; });
    return;
  }
  Result result;
  call->did_more_than_look();
  if (!call->repeat(OpKind::kStore, const_cast<const T*>(at), result)) {
    Operation op = operation<T>(*call, OpKind::kStore, at, order, pc);
    op.operand = content(desired);
    result = call->perform(op);
    note<T>(*call, at, true, pc);
  }
  if (result.newest) {
    *at = desired;
  }
}

template <typename T, typename Change>
T update(
    volatile T* at, RmwFunction function, T operand, int order, const void* pc, Change change) {
  const ModelCall call;
  if (!call) {
    return really_update(at, change);
  }
  Result result;
  call->did_more_than_look();
  if (!call->repeat(OpKind::kRmw, const_cast<const T*>(at), result)) {
    Operation op = operation<T>(*call, OpKind::kRmw, at, order, pc);
    op.function = function;
    op.operand = content(operand);
    result = call->perform(op);
    note<T>(*call, at, true, pc);
  }
  const T before = value<T>(result.read);
  if (result.newest) {
    *at = change(before);
  }
  return before;
}

template <typename T>
bool exchange_if(volatile T* at, T& expected, T desired, int order, int failed, const void* pc) {
  const ModelCall call;
  if (!call) {
    return really_exchange_if(at, expected, desired);
  }
  call->look(const_cast<const T*>(at), pc);
  Result result;
  if (!call->repeat(OpKind::kCas, const_cast<const T*>(at), result)) {
    Operation op = operation<T>(*call, OpKind::kCas, at, order, pc);
    const bool is_weakened = op.order != order_of(order);
    op.failure_order =
        !is_weakened || acquires(op.order) ? order_of(failed) : overbite::ordering::kRelaxed;
    op.operand = content(desired);
    op.expected = content(expected);
    result = call->perform(op);
    note<T>(*call, at, result.succeeded, pc);
  }
  if (!result.succeeded) {
    expected = value<T>(result.read);
    return false;
  }
  call->did_more_than_look();
  if (result.newest) {
    *at = desired;
  }
  return true;
}

}  // namespace

#define OVERBITE_PC __builtin_return_address(0)
// `name` notes the registers its caller wants preserved, and the stack pointer, and is `name`_kept:
// a function written in C++ would have used them itself by then.
#define OVERBITE_KEEP_REGISTERS(name)                      \
  __asm__(".globl " #name                                  \
          "\n"                                             \
          ".type " #name ", @function\n" #name             \
          ":\n"                                            \
          "movq overbite_registers@GOTPCREL(%rip), %r11\n" \
          "movq %rbx, 0(%r11)\n"                           \
          "movq %rbp, 8(%r11)\n"                           \
          "movq %r12, 16(%r11)\n"                          \
          "movq %r13, 24(%r11)\n"                          \
          "movq %r14, 32(%r11)\n"                          \
          "movq %r15, 40(%r11)\n"                          \
          "movq %rsp, 48(%r11)\n"                          \
          "jmp " #name                                     \
          "_kept\n"                                        \
          ".size " #name ", .-" #name "\n");
#define OVERBITE_UPDATE(bits, T, name, function, expression)                       \
  T __tsan_atomic##bits##_##name(volatile T* a, T v, int mo) {                     \
    return update<T>(a, RmwFunction::function, v, mo, OVERBITE_PC, [v](T x) -> T { \
      static_cast<void>(x);                                                        \
      return static_cast<T>(expression);                                           \
    });                                                                            \
  }
// `bits` of 8 to 128 by twelve operations.
#define OVERBITE_ATOMIC(bits, T)                                                                 \
  OVERBITE_KEEP_REGISTERS(__tsan_atomic##bits##_load)                                            \
  T __tsan_atomic##bits##_load_kept(const volatile T* a, int mo) {                               \
    return load(a, mo, OVERBITE_PC);                                                             \
  }                                                                                              \
  void __tsan_atomic##bits##_store(volatile T* a, T v, int mo) { store(a, v, mo, OVERBITE_PC); } \
  OVERBITE_UPDATE(bits, T, exchange, kExchange, v)                                               \
  OVERBITE_UPDATE(bits, T, fetch_add, kAdd, x + v)                                               \
  OVERBITE_UPDATE(bits, T, fetch_sub, kSub, x - v)                                               \
  OVERBITE_UPDATE(bits, T, fetch_and, kAnd, x& v)                                                \
  OVERBITE_UPDATE(bits, T, fetch_or, kOr, x | v)                                                 \
  OVERBITE_UPDATE(bits, T, fetch_xor, kXor, x ^ v)                                               \
  OVERBITE_UPDATE(bits, T, fetch_nand, kNand, ~(x & v))                                          \
  OVERBITE_KEEP_REGISTERS(__tsan_atomic##bits##_compare_exchange_strong)                         \
  int __tsan_atomic##bits##_compare_exchange_strong_kept(                                        \
      volatile T* a, T* c, T v, int mo, int fmo) {                                               \
    return exchange_if(a, *c, v, mo, fmo, OVERBITE_PC) ? 1 : 0;                                  \
  }                                                                                              \
  OVERBITE_KEEP_REGISTERS(__tsan_atomic##bits##_compare_exchange_weak)                           \
  int __tsan_atomic##bits##_compare_exchange_weak_kept(                                          \
      volatile T* a, T* c, T v, int mo, int fmo) {                                               \
    return exchange_if(a, *c, v, mo, fmo, OVERBITE_PC) ? 1 : 0;                                  \
  }                                                                                              \
  OVERBITE_KEEP_REGISTERS(__tsan_atomic##bits##_compare_exchange_val)                            \
  T __tsan_atomic##bits##_compare_exchange_val_kept(volatile T* a, T c, T v, int mo, int fmo) {  \
    exchange_if(a, c, v, mo, fmo, OVERBITE_PC);                                                  \
    return c;                                                                                    \
  }

extern "C" {

OVERBITE_ATOMIC(8, std::uint8_t)
OVERBITE_ATOMIC(16, std::uint16_t)
OVERBITE_ATOMIC(32, std::uint32_t)
OVERBITE_ATOMIC(64, std::uint64_t)
OVERBITE_ATOMIC(128, Wide)

// What the compiler calls for 16 bytes where it does not count on cmpxchg16b, which ThreadSanitizer
// does not see, and for sizes that have no instruction.
Wide __atomic_load_16(const volatile void* at, int order) {
  return load(static_cast<const volatile Wide*>(at), order, OVERBITE_PC);
}
void __atomic_store_16(volatile void* at, Wide desired, int order) {
  store(static_cast<volatile Wide*>(at), desired, order, OVERBITE_PC);
}
Wide __atomic_exchange_16(volatile void* at, Wide desired, int order) {
  return update<Wide>(static_cast<volatile Wide*>(at),
                      RmwFunction::kExchange,
                      desired,
                      order,
                      OVERBITE_PC,
                      [desired](Wide) { return desired; });
}
bool __atomic_compare_exchange_16(
    volatile void* at, void* expected, Wide desired, int order, int failed) {
  return exchange_if(static_cast<volatile Wide*>(at),
                     *static_cast<Wide*>(expected),
                     desired,
                     order,
                     failed,
                     OVERBITE_PC);
}

void __tsan_atomic_thread_fence(int order) {
  const ModelCall call;
  if (!call) {
    __atomic_thread_fence(kSeqCst);
    return;
  }
  Operation op;
  op.kind = OpKind::kFence;
  op.pc = OVERBITE_PC;
  op.order = call->order_at(op.pc, OpKind::kFence, order_of(order));
  if (op.order != overbite::ordering::kDropped) {
    call->perform(op);
  }
}
void __tsan_atomic_signal_fence(int /*order*/) {}

// headers/bits/atomic_wait.h
void __overbite_spin_turn() {
  if (const ModelCall call; call) {
    call->counted_spin().end_turn();
  }
}

}  // extern "C"

#undef OVERBITE_ATOMIC
#undef OVERBITE_UPDATE
#undef OVERBITE_KEEP_REGISTERS
#undef OVERBITE_PC
