#include "sabotage/runner/variants.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "sabotage/runner/elf.h"
#include "sabotage/runner/failure.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

fs::path note_file(const Workspace& workspace) { return workspace.state_dir() / "variants.json"; }

json to_json(const LibrarySet& libraries) {
  json object = json::object();
  for (const auto& [library, built] : libraries) {
    object[std::string(library_file(library))] = {{"path", built.path.string()},
                                                  {"build_id", built.build_id}};
  }
  return object;
}

LibrarySet libraries_from(const json& object) {
  LibrarySet libraries;
  for (const Library library : kAllLibraries) {
    const std::string name(library_file(library));
    if (object.contains(name)) {
      const json& built = object.at(name);
      libraries[library] = {built.at("path").get<std::string>(),
                            built.at("build_id").get<std::string>()};
    }
  }
  return libraries;
}

json to_json(const Variant& variant) {
  json object = {{"libraries", to_json(variant.libraries)}, {"guard_line", variant.guard_line}};
  if (variant.verdict) {
    object["verdict"] = verdict_name(variant.verdict->verdict);
    object["detail"] = variant.verdict->detail;
  }
  return object;
}

Variant variant_from(const json& object) {
  Variant variant;
  variant.libraries = libraries_from(object.at("libraries"));
  variant.guard_line = object.at("guard_line").get<int>();
  if (object.contains("verdict")) {
    const auto verdict = parse_verdict(object.at("verdict").get<std::string>());
    variant.verdict =
        Judgement{verdict.value_or(Verdict::kHarnessError), object.at("detail").get<std::string>()};
  }
  return variant;
}

void check_unchanged(const LibrarySet& libraries) {
  for (const auto& [library, built] : libraries) {
    if (!fs::exists(built.path) || read_build_id(built.path) != built.build_id) {
      throw Failure(Exit::kBuild,
                    built.path.string() +
                        " changed since the variants were built: run overbite-sabotage build");
    }
  }
}

}  // namespace

fs::path variant_library_dir(const Workspace& workspace, std::string_view variant) {
  return workspace.variants_dir() / variant / "lib";
}

void save_variants(const Workspace& workspace, const VariantSet& variants) {
  json document = {{"base", to_json(variants.base)},
                   {"null", to_json(variants.null)},
                   {"canary", to_json(variants.canary)},
                   {"patches", json::object()}};
  for (const auto& [id, variant] : variants.patches) {
    document["patches"][id] = to_json(variant);
  }
  write_if_different(note_file(workspace), document.dump(1) + "\n");
}

VariantSet load_variants(const Workspace& workspace) {
  const fs::path file = note_file(workspace);
  if (!fs::exists(file)) {
    throw Failure(Exit::kBuild, "no variants are built: run overbite-sabotage build");
  }
  VariantSet variants;
  try {
    const json document = json::parse(read_file(file));
    variants.base = libraries_from(document.at("base"));
    variants.null = libraries_from(document.at("null"));
    variants.canary = libraries_from(document.at("canary"));
    for (const auto& [id, object] : document.at("patches").items()) {
      variants.patches[id] = variant_from(object);
    }
  } catch (const json::exception& error) {
    throw Failure(Exit::kBuild, fmt::format("{}: {}", file.string(), first_line(error.what())));
  }
  check_unchanged(variants.base);
  return variants;
}

}  // namespace overbite::sabotage
