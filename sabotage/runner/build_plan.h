// Which copies to write and which edges to run for a set of patches. Reads the source tree and the
// build's commands; writes nothing.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "sabotage/runner/build_commands.h"
#include "sabotage/runner/catalogue.h"
#include "sabotage/runner/ninja.h"
#include "sabotage/runner/variants.h"
#include "sabotage/runner/workspace.h"

namespace overbite::sabotage {

// What the build knows how to do.
struct BuildKnowledge {
  std::vector<CompileCommand> compiles;
  std::map<Library, LinkCommand> links;  // without the libraries this build does not make
};

// What one patch needs of one library.
struct PlannedLibrary {
  std::filesystem::path object;
  std::filesystem::path null_object;  // the same source unchanged
  std::filesystem::path library;
};

struct PlannedVariant {
  std::map<Library, PlannedLibrary> libraries;
  int guard_line = 0;
};

struct BuildPlan {
  std::map<std::filesystem::path, std::string> copies;  // what to write where
  std::vector<NinjaEdge> edges;
  std::map<std::string, PlannedVariant> patches;
  std::map<Library, std::filesystem::path> null;
  std::map<Library, std::filesystem::path> canary;
  std::map<std::string, Judgement> refused;  // patches that cannot be planned, and why
};

BuildPlan plan_build(const Workspace& workspace,
                     const BuildKnowledge& knowledge,
                     const std::vector<CatalogueEntry>& selected);

}  // namespace overbite::sabotage
