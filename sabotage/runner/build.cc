#include "sabotage/runner/build.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>

#include "sabotage/runner/build_plan.h"
#include "sabotage/runner/elf.h"
#include "sabotage/runner/failure.h"
#include "sabotage/runner/ninja.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNinjaFile = "sabotage/variants/build.ninja";

std::string library_target(Library library) { return fmt::format("lib/{}", library_file(library)); }

// The program a test is run with, as a target of the build.
std::string program_target(const TestName& test) {
  switch (test.type) {
    case TestType::kGtest:
      return "bin/" + test.place;
    case TestType::kPytest:
      return "bin/overbite-serve";
    case TestType::kOrdering:
      break;
  }
  return "bin/overbite-order";
}

// Everything of the build itself that the selected patches rest on, as far as it exists: what does
// not is reported with the patch that names it.
std::vector<std::string> base_targets(const std::vector<CatalogueEntry>& selected,
                                      const std::set<std::string>& known) {
  std::set<std::string> wanted;
  for (const CatalogueEntry& entry : selected) {
    if (!entry.patch) {
      continue;
    }
    for (const Library library : libraries_of(*entry.patch)) {
      wanted.insert(library_target(library));
    }
    for (const Killer& killer : entry.patch->killers) {
      wanted.insert(program_target(killer.name));
    }
    for (const TestName& control : entry.patch->controls) {
      wanted.insert(program_target(control));
    }
  }
  std::vector<std::string> targets;
  for (const std::string& target : wanted) {
    if (known.contains(target)) {
      targets.push_back(target);
    }
  }
  return targets;
}

// The compiler's first error, or the first line it printed.
std::string first_error(std::string_view output) {
  for (const std::string_view line : split_lines(output)) {
    if (line.find("error") != std::string_view::npos) {
      return first_line(line, 240);
    }
  }
  return first_line(output, 240);
}

void build_base(const Workspace& workspace, const std::vector<std::string>& targets, int jobs) {
  if (targets.empty()) {
    return;
  }
  const NinjaResult result = run_ninja(workspace, "", targets, jobs);
  if (result.exit_code != 0) {
    throw Failure(Exit::kBuild,
                  fmt::format("the build itself fails, in {}: {}",
                              workspace.build_dir.string(),
                              first_error(result.output)));
  }
}

BuildKnowledge learn_build(const Workspace& workspace, const std::set<std::string>& known) {
  BuildKnowledge knowledge;
  knowledge.compiles =
      parse_compile_database(read_file(workspace.build_dir / "compile_commands.json"));
  for (const Library library : kAllLibraries) {
    if (known.contains(library_target(library))) {
      knowledge.links[library] =
          parse_link_command(query_commands(workspace, library_target(library)));
    }
  }
  return knowledge;
}

LibrarySet built_libraries(const std::map<Library, fs::path>& paths,
                           std::string_view what,
                           const std::map<std::string, std::string>& failed) {
  LibrarySet built;
  for (const auto& [library, path] : paths) {
    if (!fs::exists(path)) {
      const auto edge = failed.empty() ? std::string() : ": " + first_error(failed.begin()->second);
      throw Failure(Exit::kBuild, fmt::format("the {} does not build{}", what, edge));
    }
    built[library] = {fs::canonical(path), read_build_id(path)};
  }
  return built;
}

// Ninja leaves the output of an earlier run where an edge fails, so what failed decides, not what
// is there.
Variant collect(const PlannedVariant& planned, const std::map<std::string, std::string>& failed) {
  Variant variant;
  variant.guard_line = planned.guard_line;
  std::map<Library, fs::path> paths;
  for (const auto& [library, plan] : planned.libraries) {
    for (const fs::path& output : {plan.object, plan.library}) {
      const auto failure = failed.find(output.string());
      if (failure != failed.end()) {
        variant.verdict = {Verdict::kBuildFailed, first_error(failure->second)};
        return variant;
      }
    }
    if (same_bytes(plan.object, plan.null_object)) {
      variant.verdict = {Verdict::kNoEffect,
                         fmt::format("the object in {} is the same with and without the patch",
                                     library_file(library))};
      return variant;
    }
    paths[library] = plan.library;
  }
  variant.libraries = built_libraries(paths, "variant", failed);
  return variant;
}

void write_plan(const Workspace& workspace, const BuildPlan& plan) {
  for (const auto& [path, text] : plan.copies) {
    write_if_different(path, text);
  }
  for (const NinjaEdge& edge : plan.edges) {
    fs::create_directories(edge.output.parent_path());
  }
  write_if_different(workspace.build_dir / kNinjaFile, ninja_file(plan.edges));
}

std::map<std::string, std::string> run_plan(const Workspace& workspace,
                                            const BuildPlan& plan,
                                            int jobs) {
  if (plan.edges.empty()) {
    return {};
  }
  const NinjaResult result = run_ninja(workspace, std::string(kNinjaFile), {}, jobs);
  std::map<std::string, std::string> failed = failed_edges(result.output);
  if (result.exit_code != 0 && failed.empty()) {
    throw Failure(Exit::kInternal, "ninja on the variants: " + first_error(result.output));
  }
  return failed;
}

// Without these two variants, no verdict about any other means anything.
void require_pipeline(const Workspace& workspace,
                      const std::map<std::string, std::string>& failed) {
  for (const auto& [output, said] : failed) {
    for (const std::string_view variant : {kNullVariant, kCanaryVariant}) {
      if (output.starts_with((workspace.variants_dir() / variant).string() + "/")) {
        throw Failure(Exit::kBuild,
                      fmt::format("{} does not build: {}", output, first_error(said)));
      }
    }
  }
}

// A killer whose program the build cannot make will never be red: say so before anything is run.
void refuse_unknown_programs(const std::vector<CatalogueEntry>& selected,
                             const std::set<std::string>& known,
                             VariantSet& variants) {
  for (const CatalogueEntry& entry : selected) {
    if (!entry.patch || variants.patches[entry.id].verdict) {
      continue;
    }
    for (const Killer& killer : entry.patch->killers) {
      const std::string program = program_target(killer.name);
      if (killer.name.type != TestType::kPytest && !known.contains(program)) {
        variants.patches[entry.id].verdict = {
            Verdict::kStale,
            fmt::format("killer {}: this build makes no {}", killer.name.spec, program)};
      }
    }
  }
}

}  // namespace

VariantSet build_variants(const Workspace& workspace,
                          const std::vector<CatalogueEntry>& selected,
                          int jobs) {
  const std::set<std::string> known = query_targets(workspace);
  build_base(workspace, base_targets(selected, known), jobs);
  const BuildKnowledge knowledge = learn_build(workspace, known);
  const BuildPlan plan = plan_build(workspace, knowledge, selected);
  write_plan(workspace, plan);
  const std::map<std::string, std::string> failed = run_plan(workspace, plan, jobs);

  VariantSet variants;
  std::map<Library, fs::path> base;
  for (const auto& [library, null_path] : plan.null) {
    base[library] = workspace.lib_dir() / library_file(library);
  }
  require_pipeline(workspace, failed);
  variants.base = built_libraries(base, "library", failed);
  variants.null = built_libraries(plan.null, "null variant", failed);
  variants.canary = built_libraries(plan.canary, "canary", failed);
  for (const auto& [id, planned] : plan.patches) {
    variants.patches[id] = collect(planned, failed);
  }
  for (const auto& [id, why] : plan.refused) {
    variants.patches[id].verdict = why;
  }
  refuse_unknown_programs(selected, known, variants);
  save_variants(workspace, variants);
  return variants;
}

void sweep_variants(const Workspace& workspace, const std::vector<CatalogueEntry>& all) {
  std::set<std::string> keep = {std::string(kNullVariant), std::string(kCanaryVariant)};
  for (const CatalogueEntry& entry : all) {
    keep.insert(entry.id);
  }
  if (fs::is_directory(workspace.variants_dir())) {
    for (const fs::directory_entry& item : fs::directory_iterator(workspace.variants_dir())) {
      if (item.is_directory() && !keep.contains(item.path().filename().string())) {
        fs::remove_all(item.path());
      }
    }
  }
}

}  // namespace overbite::sabotage
