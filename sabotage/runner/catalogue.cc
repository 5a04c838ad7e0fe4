#include "sabotage/runner/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "sabotage/runner/failure.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

namespace fs = std::filesystem;

CatalogueEntry read_entry(const Workspace& workspace, const fs::path& path) {
  CatalogueEntry entry;
  entry.id = path.stem().string();
  entry.file = path.lexically_relative(workspace.source_dir);
  try {
    entry.patch = parse_patch(entry.file, read_file(path));
  } catch (const Failure& failure) {
    entry.problem = failure.what();
  }
  return entry;
}

std::vector<fs::path> patch_files(const fs::path& root) {
  std::vector<fs::path> files;
  if (!fs::is_directory(root)) {
    return files;
  }
  for (const fs::directory_entry& item : fs::recursive_directory_iterator(root)) {
    if (item.is_regular_file() && item.path().extension() == ".patch") {
      files.push_back(item.path());
    }
  }
  return files;
}

}  // namespace

void parse_shard(const std::string& text, Selection& selection) {
  const char* end = text.data() + text.size();
  int shard = 0;
  int shards = 0;
  const auto [slash, bad_shard] = std::from_chars(text.data(), end, shard);
  const bool has_slash = bad_shard == std::errc() && slash != end && *slash == '/';
  const auto [stop, bad_shards] = std::from_chars(has_slash ? slash + 1 : end, end, shards);
  if (!has_slash || bad_shards != std::errc() || stop != end || shard < 1 || shard > shards) {
    throw Failure(Exit::kUsage,
                  fmt::format("--shard '{}': expected k/n with 1 <= k <= n, such as 2/4", text));
  }
  selection.shard = shard;
  selection.shards = shards;
}

std::vector<CatalogueEntry> read_catalogue(const Workspace& workspace) {
  std::vector<CatalogueEntry> entries;
  for (const fs::path& file : patch_files(workspace.patches_dir())) {
    entries.push_back(read_entry(workspace, file));
  }
  std::ranges::sort(
      entries, {}, [](const CatalogueEntry& entry) { return std::pair(entry.id, entry.file); });
  for (std::size_t i = 1; i < entries.size(); ++i) {
    if (entries[i].id == entries[i - 1].id) {
      for (CatalogueEntry* entry : {&entries[i - 1], &entries[i]}) {
        entry->patch.reset();
        entry->problem = fmt::format("two patches are called '{}': {} and {}",
                                     entry->id,
                                     entries[i - 1].file.string(),
                                     entries[i].file.string());
      }
    }
  }
  return entries;
}

std::vector<CatalogueEntry> select(const std::vector<CatalogueEntry>& all,
                                   const Selection& selection) {
  if (all.empty()) {
    throw Failure(Exit::kStale, "no patch under sabotage/patches/: nothing would be proven");
  }
  for (const std::string& id : selection.ids) {
    if (std::ranges::find(all, id, &CatalogueEntry::id) == all.end()) {
      throw Failure(Exit::kUsage, fmt::format("no patch '{}' under sabotage/patches/", id));
    }
  }
  std::vector<CatalogueEntry> chosen;
  std::size_t turn = 0;
  for (const CatalogueEntry& entry : all) {
    if (!selection.ids.empty() && std::ranges::count(selection.ids, entry.id) == 0) {
      continue;
    }
    const auto shards = static_cast<std::size_t>(selection.shards);
    if (turn++ % shards + 1 == static_cast<std::size_t>(selection.shard)) {
      chosen.push_back(entry);
    }
  }
  if (chosen.empty()) {
    throw Failure(Exit::kUsage,
                  fmt::format("shard {}/{} of {} is empty: nothing would be proven",
                              selection.shard,
                              selection.shards,
                              counted(turn, "patch", "es")));
  }
  return chosen;
}

}  // namespace overbite::sabotage
