// The variants that lie built under <build>/sabotage/variants, and the note about them that lets a
// later `run --built` trust them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sabotage/runner/judge.h"
#include "sabotage/runner/library.h"
#include "sabotage/runner/workspace.h"

namespace overbite::sabotage {

struct Variant {
  LibrarySet libraries;              // empty unless it can be run
  std::optional<Judgement> verdict;  // why it cannot: stale, build-failed, no-effect
  int guard_line = 0;                // in the source as it was built
};

struct VariantSet {
  LibrarySet base;                         // the build's own libraries
  LibrarySet null;                         // the same sources through the same pipeline, unchanged
  LibrarySet canary;                       // abort when they are loaded
  std::map<std::string, Variant> patches;  // by patch id
};

// Ids of patches are lower-case words, so names with a dot cannot collide with them.
inline constexpr std::string_view kNullVariant = "null.variant";
inline constexpr std::string_view kCanaryVariant = "canary.variant";

// <build>/sabotage/variants/<variant>/lib, which goes in front of the loader's search path.
std::filesystem::path variant_library_dir(const Workspace& workspace, std::string_view variant);

void save_variants(const Workspace& workspace, const VariantSet& variants);

// Throws Failure(kBuild) when nothing was built yet, and when a library is no longer the one that
// the note speaks of.
VariantSet load_variants(const Workspace& workspace);

}  // namespace overbite::sabotage
