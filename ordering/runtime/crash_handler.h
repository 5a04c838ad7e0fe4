// A crash of model code is a failure of the scenario, with a timeline, not the end of the program.
#pragma once

namespace overbite::ordering {

// Installs handlers for SIGSEGV, SIGBUS, SIGFPE and SIGILL, once per process. Outside model code
// they give the signal back to its default action.
void install_crash_handler();

}  // namespace overbite::ordering
