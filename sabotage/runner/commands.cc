#include "sabotage/runner/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "sabotage/runner/build.h"
#include "sabotage/runner/check.h"
#include "sabotage/runner/output.h"
#include "sabotage/runner/progress.h"
#include "sabotage/runner/test_runner.h"
#include "sabotage/runner/text.h"
#include "sabotage/runner/variants.h"

namespace overbite::sabotage {
namespace {

// The patches a command is about, and everything it works with.
struct Session {
  Workspace workspace;
  std::vector<CatalogueEntry> all;
  std::vector<CatalogueEntry> selected;
  TestRunner runner;
  OutputStyle style;
  Progress progress;

  explicit Session(const Options& options, bool needs_build = true)
      : workspace(resolve_workspace(options.workspace, needs_build)),
        all(read_catalogue(workspace)),
        selected(select(all, options.selection)),
        runner(workspace),
        progress(::isatty(2) == 1 && !options.json) {
    const char* no_color = std::getenv("NO_COLOR");  // NOLINT: nobody writes it
    style.color = options.color && ::isatty(1) == 1 && (no_color == nullptr || *no_color == '\0');
    for (const CatalogueEntry& entry : selected) {
      style.id_width = std::max(style.id_width, entry.id.size());
    }
  }
};

void print(const std::string& text) {
  fmt::print("{}", text);
  std::fflush(stdout);
}

VariantSet build_session(Session& session, int jobs) {
  const BuildLock lock(session.workspace);
  session.progress.begin("build", session.selected.size());
  sweep_variants(session.workspace, session.all);
  VariantSet variants = build_variants(session.workspace, session.selected, jobs);
  session.progress.clear();
  return variants;
}

// Of a patch whose variant cannot be run: the result that says so.
std::vector<PatchResult> unbuilt(const Session& session, const VariantSet& variants) {
  std::vector<PatchResult> results;
  for (const CatalogueEntry& entry : session.selected) {
    const Variant& variant = variants.patches.at(entry.id);
    if (variant.verdict) {
      results.push_back({entry, variant.guard_line, *variant.verdict, {}, 0});
    }
  }
  return results;
}

Exit exit_of_results(const std::vector<PatchResult>& results) {
  std::vector<Verdict> verdicts;
  for (const PatchResult& result : results) {
    verdicts.push_back(result.judgement.verdict);
  }
  return exit_of(verdicts);
}

Baseline measure_session(Session& session, const Options& options, const VariantSet& variants) {
  Baseline measured = measure_baseline(session.runner,
                                       named_tests(session.selected),
                                       variants.base,
                                       options.baseline,
                                       session.progress);
  save_baseline(session.workspace, measured);
  return measured;
}

Exit exit_of_baseline(const Baseline& baseline, bool keep_going) {
  std::vector<Verdict> verdicts;
  for (const auto& [spec, entry] : baseline.tests) {
    if (!entry.green()) {
      const bool plainly_red = entry.judgement.verdict < Verdict::kStale;
      verdicts.push_back(plainly_red ? Verdict::kBaselineRed : entry.judgement.verdict);
    }
  }
  const bool enough = keep_going && verdicts.size() < baseline.tests.size();
  return enough ? Exit::kAllBite : exit_of(verdicts);
}

bool all_as_they_should(const std::vector<PipelineResult>& results) {
  return std::ranges::all_of(results, &PipelineResult::as_it_should);
}

// The tests of the patches that could be built and whose baseline is green: nothing can be told by
// running the others.
std::vector<TestName> runnable_tests(const Session& session,
                                     const VariantSet& variants,
                                     const Baseline& baseline) {
  std::vector<CatalogueEntry> runnable;
  for (const CatalogueEntry& entry : session.selected) {
    const auto variant = variants.patches.find(entry.id);
    if (variant != variants.patches.end() && !variant->second.verdict) {
      runnable.push_back(entry);
    }
  }
  std::vector<TestName> tests = named_tests(runnable);
  std::erase_if(tests, [&](const TestName& test) {
    return !baseline_of(session.workspace, baseline, test).green();
  });
  return tests;
}

// What `null` and `canary` share: everything but the step itself.
template <typename Step>
Exit run_step(const Options& options, std::string_view name, Exit failed, const Step& step) {
  Session session(options);
  const VariantSet variants = load_variants(session.workspace);
  const Baseline measured = load_baseline(session.workspace, variants.base);
  const std::vector<TestName> tests = runnable_tests(session, variants, measured);
  if (tests.empty()) {
    throw Failure(Exit::kStale, "no test of any patch can be run: nothing would be proven");
  }
  const std::vector<PipelineResult> results =
      step(session.runner, tests, variants, measured, options.jobs, session.progress);
  const Exit exit = all_as_they_should(results) ? Exit::kAllBite : failed;
  if (options.json) {
    print(pipeline_as_json(name, results, exit));
    return exit;
  }
  for (const PipelineResult& result : results) {
    print(describe(name, result, session.style));
  }
  const auto good = std::ranges::count_if(results, &PipelineResult::as_it_should);
  print(fmt::format("{}: {} of {} tests as they should be\n", name, good, results.size()));
  return exit;
}

// Before the patches themselves: the unchanged variant has to be green, the canary red. Throws
// when they are not, because no verdict would mean anything then.
void prove_pipeline(Session& session,
                    const Options& options,
                    const VariantSet& variants,
                    const Baseline& measured) {
  const std::vector<TestName> tests = runnable_tests(session, variants, measured);
  for (const PipelineResult& result :
       run_null(session.runner, tests, variants, measured, options.jobs, session.progress)) {
    if (!result.as_it_should) {
      throw Failure(Exit::kBaseline,
                    fmt::format("{} is red on the null variant, which changes nothing: {}",
                                result.test.spec,
                                result.judgement.detail));
    }
  }
  for (const PipelineResult& result :
       run_canary(session.runner, tests, variants, measured, options.jobs, session.progress)) {
    if (!result.as_it_should) {
      throw Failure(Exit::kInternal,
                    fmt::format("{} does not notice the canary library: {}",
                                result.test.spec,
                                result.judgement.detail));
    }
  }
}

}  // namespace

Exit list_patches(const Options& options) {
  const Session session(options, false);
  if (options.json) {
    print(patches_as_json(session.selected));
    return Exit::kAllBite;
  }
  for (const CatalogueEntry& entry : session.selected) {
    print(fmt::format("{:<{}}  {}\n",
                      entry.id,
                      session.style.id_width,
                      entry.patch
                          ? fmt::format("{}  {}", entry.patch->source.string(), entry.patch->harm)
                          : entry.problem));
  }
  return Exit::kAllBite;
}

Exit explain_patch(const Options& options) {
  Options one = options;
  one.selection = {{options.explained}, 1, 1};
  const Session session(one, false);
  const CatalogueEntry& entry = session.selected.front();
  print(options.json ? patches_as_json(session.selected) : explain(entry, session.runner));
  return entry.patch ? Exit::kAllBite : Exit::kStale;
}

Exit check(const Options& options) {
  const bool build_dir_named = !options.workspace.build_dir.empty();
  const Workspace workspace = resolve_workspace(options.workspace, build_dir_named);
  const CheckReport report = check_tree(workspace, read_catalogue(workspace));
  const bool good = report.problems.empty() && report.patches > 0;
  const Exit exit = good ? Exit::kAllBite : Exit::kStale;
  if (options.json) {
    print(check_as_json(report, exit));
    return exit;
  }
  for (const std::string& note : report.notes) {
    print("note     " + note + "\n");
  }
  for (const std::string& problem : report.problems) {
    print("stale    " + problem + "\n");
  }
  print(fmt::format("check: {}, {}, {}{}\n",
                    counted(report.patches, "patch", "es"),
                    counted(report.guards, "guard"),
                    counted(report.problems.size(), "problem"),
                    report.patches == 0 ? "; no patch at all proves nothing" : ""));
  return exit;
}

Exit build(const Options& options) {
  Session session(options);
  const VariantSet variants = build_session(session, options.jobs);
  const std::vector<PatchResult> failed = unbuilt(session, variants);
  const bool enough = options.keep_going && failed.size() < session.selected.size();
  const Exit exit = enough ? Exit::kAllBite : exit_of_results(failed);
  if (options.json) {
    print(results_as_json(failed, exit));
    return exit;
  }
  for (const PatchResult& result : failed) {
    print(describe(result, session.runner, session.style));
  }
  print(fmt::format("build: {} of {} variants can be run\n",
                    session.selected.size() - failed.size(),
                    session.selected.size()));
  return exit;
}

Exit baseline(const Options& options) {
  Session session(options);
  const VariantSet variants = load_variants(session.workspace);
  const Baseline measured = measure_session(session, options, variants);
  const Exit exit = exit_of_baseline(measured, options.keep_going);
  if (options.json) {
    print(baseline_as_json(measured, exit));
    return exit;
  }
  std::size_t green = 0;
  for (const auto& [spec, entry] : measured.tests) {
    green += entry.green() ? 1 : 0;
    print(describe(entry, session.style));
  }
  print(fmt::format("baseline: {} of {} tests green\n", green, measured.tests.size()));
  return exit;
}

Exit null_variant(const Options& options) {
  return run_step(options, "null", Exit::kBaseline, run_null);
}

Exit canary(const Options& options) {
  return run_step(options, "canary", Exit::kInternal, run_canary);
}

Exit run(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  Session session(options);
  const VariantSet variants =
      options.built ? load_variants(session.workspace) : build_session(session, options.jobs);
  const Baseline measured = options.built ? load_baseline(session.workspace, variants.base)
                                          : measure_session(session, options, variants);
  if (!options.built) {
    prove_pipeline(session, options, variants, measured);
  }
  const std::vector<PatchResult> results =
      run_campaign(session.runner,
                   session.selected,
                   variants,
                   measured,
                   options.campaign,
                   session.progress,
                   [&](const PatchResult& result) {
                     if (!options.json) {
                       print(describe(result, session.runner, session.style));
                     }
                   });
  const Exit exit = exit_of_results(results);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print(options.json ? results_as_json(results, exit) : summarize(results, took.count()));
  return exit;
}

}  // namespace overbite::sabotage
