// A failing run as a word to pass on: which thread went when, and a trace of what it did there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ordering/explore/schedules.h"
#include "server/base/result.h"

namespace overbite::ordering {

// The bits of a step's signature that the string keeps: the kind of operation.
inline constexpr std::uint32_t kReplaySignatureMask = 31;

// "3" (the version), then for each block of one thread its number and length and what was chosen
// or skipped, ".", then one character a step for the kind
// of operation.
std::string to_replay_string(const std::vector<Step>& steps);

// The error names the character that is wrong.
base::Result<std::vector<Step>> parse_replay_string(std::string_view text);

}  // namespace overbite::ordering
