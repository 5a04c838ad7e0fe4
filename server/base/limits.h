// Every bound of the program, with its unit in the name and its reason beside it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace overbite::limits {

// Requests in flight at once (each has a slot). Beyond it a connection waits, unread, for a slot.
inline constexpr std::size_t kSlotsMax = 1024;

// Completions a slot can have on the ring at once: an interim response, the begin of a stream, and
// the end of one whose client is gone. Ring capacity is a power of two not below kSlotsMax times
// this, so a push can never find the ring full.
inline constexpr std::size_t kCompletionsPerSlotMax = 3;
inline constexpr std::size_t kCompletionRingEntries = 4096;
static_assert(kCompletionRingEntries >= kSlotsMax * kCompletionsPerSlotMax);

// Jobs and body pieces on their way to the executor. When it is full the loop keeps the rest in the
// connection and stops reading from it.
inline constexpr std::size_t kSubmitRingEntries = 4096;

// Stream bytes the application may be ahead of the socket: uvicorn's high-water mark.
inline constexpr std::int64_t kStreamCreditBytes = 65536;

// Unread request body after which a connection is no longer read: uvicorn's HIGH_WATER_LIMIT.
inline constexpr std::size_t kBodyHighWaterBytes = 65536;

// The executor reports body bytes the application took in pieces of this size
// (MessageKind::kReadMore). Below half the mark above, so that the loop's count of unread bytes
// always falls under it again.
inline constexpr std::size_t kBodyCreditQuantumBytes = 16384;
static_assert(kBodyCreditQuantumBytes * 2 < kBodyHighWaterBytes);

// Bytes waiting in a transport above which nobody produces more, and below which they may again
// (asyncio's defaults, so streams break at the same places as under uvicorn).
inline constexpr std::size_t kWriteHighWaterBytes = 65536;
inline constexpr std::size_t kWriteLowWaterBytes = 16384;

// One read from a socket: asyncio's max_size would be 256 KiB, uvloop's 250 KB.
inline constexpr std::size_t kReadBytesMax = 262144;

// Connections accepted in one loop pass, so that a flood cannot starve the open ones.
inline constexpr int kAcceptsPerPassMax = 64;

// Head bytes of one request: uvicorn+httptools has no bound, a server needs one. Answer: 400.
inline constexpr std::size_t kRequestHeadBytesMax = 1048576;

// Request target: the URL parser keeps 16-bit offsets.
inline constexpr std::size_t kTargetBytesMax = 65535;

// A WSGI request's body is complete before the application starts; beyond this it is refused (413).
inline constexpr std::size_t kWsgiBodyBytesMax = 64u << 20;

// What a WSGI application may be ahead of its client by write() where nobody can wait for the
// client (--blocking-threads 0); its next write() raises. Elsewhere write() waits.
inline constexpr std::size_t kWrittenAheadBytesMax = 8u << 20;

// Idle time between requests, as uvicorn's --timeout-keep-alive.
inline constexpr std::int64_t kKeepAliveDefaultMs = 5000;
inline constexpr int kKeepAliveMaxS = 86400;

// After the last byte of a connection whose client may still be sending: how long its input is read
// and dropped, since a reset would take the answer with it (RFC 9112 9.6).
inline constexpr std::int64_t kLingerMs = 2000;

// Heartbeat of an open stream, and the silence after which the loop gives it up as orphaned.
inline constexpr std::int64_t kHeartbeatMs = 5000;
inline constexpr std::int64_t kStreamSilenceMs = 60000;

// From SIGTERM until whatever is still running is cut off (--timeout-graceful-shutdown), and its
// bound.
inline constexpr int kShutdownGraceDefaultS = 10;
inline constexpr int kShutdownGraceMaxS = 86400;

// Behind the grace period: what was cut off ends, or is left behind.
inline constexpr std::int64_t kShutdownMarginMs = 2000;

// Threads of the blocking pool (--blocking-threads).
inline constexpr int kBlockingThreadsDefault = 4;
inline constexpr int kBlockingThreadsMax = 512;

// listen(2) backlog: uvicorn's default.
inline constexpr int kBacklog = 2048;

// Jobs the ASGI executor takes in one turn of its event loop before other callbacks run.
inline constexpr int kJobsPerTurnMax = 256;

}  // namespace overbite::limits
