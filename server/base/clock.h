// The two clocks of the program.
#pragma once

#include <cstdint>
#include <ctime>

namespace overbite::base {

// Milliseconds of CLOCK_MONOTONIC: for time-outs, never shown to a peer.
std::int64_t monotonic_ms();

// Seconds since the epoch, for the Date field.
std::time_t wall_seconds();

}  // namespace overbite::base
