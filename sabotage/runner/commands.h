// The subcommands, apart from how their options are written on the command line.
#pragma once

#include <string>

#include "sabotage/runner/baseline.h"
#include "sabotage/runner/campaign.h"
#include "sabotage/runner/catalogue.h"
#include "sabotage/runner/failure.h"
#include "sabotage/runner/workspace.h"

namespace overbite::sabotage {

struct Options {
  WorkspaceRequest workspace;
  Selection selection;
  BaselineOptions baseline;
  CampaignOptions campaign;
  int jobs = 1;
  bool built = false;       // use the variants and the baseline that are there
  bool keep_going = false;  // `build`, `baseline`: succeed while any patch can still be judged
  bool json = false;
  bool color = true;
  std::string explained;  // the id of `explain`
};

// Each prints to stdout and returns the process's exit code. They throw Failure for what keeps the
// whole command from going on.
Exit list_patches(const Options& options);
Exit explain_patch(const Options& options);
Exit check(const Options& options);
Exit build(const Options& options);
Exit baseline(const Options& options);
Exit null_variant(const Options& options);
Exit canary(const Options& options);
Exit run(const Options& options);

}  // namespace overbite::sabotage
