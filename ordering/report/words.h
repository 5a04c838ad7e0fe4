// Single events in words.
#pragma once

#include <string>

#include "ordering/runtime/operation.h"

namespace overbite::ordering {

// Small numbers as they are, large ones in hexadecimal.
std::string number_text(std::uint64_t value);
const std::string& thread_name(const Execution& execution, ThreadId thread);
// Empty if the event has none.
std::string object_name(const Execution& execution, const Event& event);
// "relaxed", ..., "seq_cst"; empty for what has no memory order.
const char* order_word(const Event& event);

bool is_atomic(OpKind kind);
// A load, or a compare-exchange that failed.
bool is_read(const Event& event);
// Not what an interleaving would show: it read an old value, or was put before a newer one.
inline bool is_weak(const Event& event) { return event.skipped != 0 && is_atomic(event.op.kind); }

// "lock of queue", "the end of pool": what it takes for the operation to go on.
std::string waiting_words(const Execution& execution, const Event& event);

// "head = 3", "lock queue", "send abort to channel#1.A". `note`: what the value's origin is; it
// goes in brackets behind the value that was read. `orders`: with the memory orders that are not
// seq_cst.
std::string event_words(const Execution& execution,
                        const Event& event,
                        const std::string& note,
                        bool orders);

}  // namespace overbite::ordering
