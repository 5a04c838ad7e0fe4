#include "sabotage/runner/build_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sabotage/runner/apply.h"
#include "sabotage/runner/failure.h"
#include "sabotage/runner/text.h"

namespace overbite::sabotage {
namespace {

namespace fs = std::filesystem;

// Under this library every test has to go red.
std::string canary_source() {
  return fmt::format(
      "#include <unistd.h>\n"
      "#include <cstdlib>\n"
      "__attribute__((constructor)) static void overbite_canary() {{\n"
      "  static const char text[] = \"{}\\n\";\n"
      "  const auto ignored = ::write(2, text, sizeof text - 1);\n"
      "  (void)ignored;\n"
      "  std::abort();\n"
      "}}\n",
      kCanaryText);
}

class Planner {
 public:
  Planner(const Workspace& workspace, const BuildKnowledge& knowledge)
      : workspace_(workspace), knowledge_(knowledge) {}

  void add_patch(const Patch& patch);

  void refuse(const std::string& id, Judgement why) { plan_.refused[id] = std::move(why); }

  // The variants that test the pipeline itself, for every library some patch is linked into.
  BuildPlan finish();

 private:
  fs::path object_path(std::string_view variant, Library library, const fs::path& source) const;

  const CompileCommand& find_compile(const Patch& patch, Library library) const;

  void add_compile(const CompileCommand& original,
                   const fs::path& copy,
                   const fs::path& object,
                   std::string_view what);

  fs::path add_link(Library library,
                    std::string_view variant,
                    const std::map<std::string, std::string>& replaced,
                    const std::vector<std::string>& added);

  const Workspace& workspace_;
  const BuildKnowledge& knowledge_;
  BuildPlan plan_;
  // By library: the object of the original build, and the null variant's in its place.
  std::map<Library, std::map<std::string, std::string>> null_objects_;
  const CompileCommand* any_compile_ = nullptr;
};

void Planner::add_patch(const Patch& patch) {
  const fs::path original = workspace_.source_dir / patch.source;
  if (!fs::exists(original)) {
    throw Failure(
        Exit::kStale,
        fmt::format(
            "{} patches {}, which does not exist", patch.file.string(), patch.source.string()));
  }
  const std::string source = read_file(original);
  const Patched patched = apply_patch(patch, source, original);
  PlannedVariant variant;
  variant.guard_line = patched.guard_line;
  std::map<Library, const CompileCommand*> compiles;
  for (const Library library : libraries_of(patch)) {
    compiles[library] = &find_compile(patch, library);
  }

  const fs::path copy = workspace_.variants_dir() / patch.id / patch.source;
  const fs::path null_copy = workspace_.variants_dir() / kNullVariant / patch.source;
  plan_.copies[copy] = patched.text;
  plan_.copies[null_copy] = unchanged_copy(source, original);
  for (const auto& [library, compile] : compiles) {
    const fs::path object = object_path(patch.id, library, patch.source);
    const fs::path null_object = object_path(kNullVariant, library, patch.source);
    add_compile(*compile, copy, object, patch.id);
    if (null_objects_[library].emplace(compile->object, null_object.string()).second) {
      add_compile(*compile, null_copy, null_object, "null variant");
    }
    variant.libraries[library] = {
        object, null_object, add_link(library, patch.id, {{compile->object, object.string()}}, {})};
    any_compile_ = compile;
  }
  plan_.patches[patch.id] = std::move(variant);
}

BuildPlan Planner::finish() {
  if (any_compile_ == nullptr) {
    return std::move(plan_);
  }
  const fs::path copy = workspace_.variants_dir() / kCanaryVariant / "canary.cc";
  const fs::path object = copy.string() + ".o";
  plan_.copies[copy] = canary_source();
  CompileCommand plain = *any_compile_;
  std::erase_if(plain.argv, [](const std::string& word) {
    return word.starts_with("-fsanitize");  // a constructor runs before a run-time is ready
  });
  add_compile(plain, copy, object, "canary");
  for (const auto& [library, objects] : null_objects_) {
    plan_.null[library] = add_link(library, kNullVariant, objects, {});
    // Alone in its folder: a program that loads several of them has to notice each.
    const fs::path alone = fs::path(kCanaryVariant) / fs::path(library_file(library)).stem();
    plan_.canary[library] = add_link(library, alone.string(), {}, {object.string()});
  }
  return std::move(plan_);
}

fs::path Planner::object_path(std::string_view variant,
                              Library library,
                              const fs::path& source) const {
  return workspace_.variants_dir() / variant / fs::path(library_file(library)).stem() /
         (source.string() + ".o");
}

const CompileCommand& Planner::find_compile(const Patch& patch, Library library) const {
  const auto link = knowledge_.links.find(library);
  if (link == knowledge_.links.end()) {
    throw Failure(Exit::kBuild, fmt::format("this build makes no {}", library_file(library)));
  }
  const fs::path source = workspace_.source_dir / patch.source;
  const auto compile = std::ranges::find_if(knowledge_.compiles, [&](const CompileCommand& c) {
    return c.source == source && link->second.objects.contains(c.object);
  });
  if (compile == knowledge_.compiles.end()) {
    throw Failure(Exit::kStale,
                  fmt::format("{} holds no object of {}: its tests cannot notice the patch",
                              library_file(library),
                              patch.source.string()));
  }
  return *compile;
}

void Planner::add_compile(const CompileCommand& original,
                          const fs::path& copy,
                          const fs::path& object,
                          std::string_view what) {
  plan_.edges.push_back({object,
                         compile_variant(original, copy, object),
                         {copy.string()},
                         true,
                         fmt::format("{}: compile {}", what, copy.filename().string())});
}

fs::path Planner::add_link(Library library,
                           std::string_view variant,
                           const std::map<std::string, std::string>& replaced,
                           const std::vector<std::string>& added) {
  const LinkCommand& link = knowledge_.links.at(library);
  const fs::path output = variant_library_dir(workspace_, variant) / library_file(library);
  std::vector<std::string> inputs = added;
  for (const std::string& object : link.objects) {
    const auto replacement = replaced.find(object);
    inputs.push_back(replacement == replaced.end() ? object : replacement->second);
  }
  plan_.edges.push_back({output,
                         link_variant(link, replaced, added, output),
                         inputs,
                         false,
                         fmt::format("{}: link {}", variant, library_file(library))});
  return output;
}

}  // namespace

BuildPlan plan_build(const Workspace& workspace,
                     const BuildKnowledge& knowledge,
                     const std::vector<CatalogueEntry>& selected) {
  Planner planner(workspace, knowledge);
  for (const CatalogueEntry& entry : selected) {
    if (!entry.patch) {
      planner.refuse(entry.id, {Verdict::kStale, entry.problem});
      continue;
    }
    try {
      planner.add_patch(*entry.patch);
    } catch (const Failure& failure) {
      if (failure.exit() != Exit::kStale && failure.exit() != Exit::kBuild) {
        throw;
      }
      const bool stale = failure.exit() == Exit::kStale;
      planner.refuse(entry.id, {stale ? Verdict::kStale : Verdict::kBuildFailed, failure.what()});
    }
  }
  return planner.finish();
}

}  // namespace overbite::sabotage
