// Bugs planted on purpose: an explorer that does not find them sees nothing at all.
#pragma once

namespace overbite::ordering {

// Two threads add 1 by a load and a store. Must fail by its requirement.
void planted_lost_update();
// Two threads write one plain variable. Must fail as a data race.
void planted_race();
// Calls into the hand-off library. Visible operations must come from its file, or it was built
// without instrumentation.
void planted_handoff_probe();

}  // namespace overbite::ordering
