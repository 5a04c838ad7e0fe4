// libstdc++'s own, whose spin says so: std::__detail::__atomic_spin looks 16 times before it waits,
// with nothing that depends on how often. The explorer need not know when in between a change came.
#pragma once

#if __has_include_next(<bits/atomic_wait.h>)
#include <bits/gthr.h>

extern "C" void __overbite_spin_turn();

#pragma push_macro("__builtin_ia32_pause")
#pragma push_macro("__gthread_yield")
#undef __builtin_ia32_pause
#undef __gthread_yield
#define __builtin_ia32_pause() ::__overbite_spin_turn()
#define __gthread_yield() ::__overbite_spin_turn()
#include_next <bits/atomic_wait.h>
#pragma pop_macro("__gthread_yield")
#pragma pop_macro("__builtin_ia32_pause")
#endif
