// Builds every variant in one ninja graph: one compile and one link a patch and library.
#pragma once

#include <vector>

#include "sabotage/runner/catalogue.h"
#include "sabotage/runner/variants.h"
#include "sabotage/runner/workspace.h"

namespace overbite::sabotage {

// First brings the build's own libraries and the killers' programs up to date, then builds the
// selected patches' variants, the null variant and the canary, and notes them (save_variants).
// Patches that do not apply or build are verdicts in the result. The caller holds the BuildLock.
// Throws Failure(kBuild) when the build itself, the null variant or the canary fails.
VariantSet build_variants(const Workspace& workspace,
                          const std::vector<CatalogueEntry>& selected,
                          int jobs);

// Removes the variants of patches that are not in `all` any more.
void sweep_variants(const Workspace& workspace, const std::vector<CatalogueEntry>& all);

}  // namespace overbite::sabotage
