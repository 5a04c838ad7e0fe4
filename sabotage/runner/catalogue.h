// The patches of a source tree, the broken ones among them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sabotage/runner/patch.h"
#include "sabotage/runner/workspace.h"

namespace overbite::sabotage {

struct CatalogueEntry {
  std::string id;              // stem of the file
  std::filesystem::path file;  // relative to the source directory
  std::optional<Patch> patch;  // absent if the file cannot be read as a patch
  std::string problem;         // why
};

// Which of the patches the user wants.
struct Selection {
  std::vector<std::string> ids;  // empty: all
  int shard = 1;                 // 1 .. shards
  int shards = 1;
};

// "k/n" with 1 <= k <= n. Throws Failure(kUsage).
void parse_shard(const std::string& text, Selection& selection);

// Every sabotage/patches/<folder>/*.patch, by id. Two files of one id are a problem of both.
std::vector<CatalogueEntry> read_catalogue(const Workspace& workspace);

// Shards are dealt out in turn, so that the n parts of a run together are the whole. Throws
// Failure(kUsage) for an unknown id and for a shard that comes out empty, Failure(kStale) when
// there is no patch at all: an empty run must not look like a passing one.
std::vector<CatalogueEntry> select(const std::vector<CatalogueEntry>& all,
                                   const Selection& selection);

}  // namespace overbite::sabotage
