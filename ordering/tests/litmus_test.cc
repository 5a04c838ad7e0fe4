// Programs with published numbers of executions: as many are found, under each model, and no run is
// started that comes to nothing.
#include <gtest/gtest.h>

#include <cctype>
#include <tuple>

#include "ordering/litmus/published.h"
#include "ordering/tests/model.h"

namespace overbite::ordering {
namespace {

using litmus::Published;

void has_the_published_number(const Published& program, Model model) {
  constexpr std::uint64_t kExecutionsMax = 4'000'000;
  const Exploration found =
      explored(program.to_explore(), {.executions_max = kExecutionsMax}, model);
  EXPECT_EQ(found.verdict, Verdict::kPass) << found.reason;
  EXPECT_EQ(found.executions, model == Model::kSc ? program.sc : program.rc11_defined())
      << program.words;
  if (!program.waits) {
    EXPECT_EQ(found.cut, 0u) << program.words;
  }
}

using Parameter = std::tuple<std::size_t, Model>;

std::string name_of(const std::vector<Published>& all,
                    const testing::TestParamInfo<Parameter>& info) {
  std::string name = all[std::get<0>(info.param)].name;
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name + (std::get<1>(info.param) == Model::kSc ? "_Sc" : "_Rc11");
}

const std::vector<Published>& published() {
  static const std::vector<Published> all = litmus::published();
  return all;
}
const std::vector<Published>& slow() {
  static const std::vector<Published> all = litmus::published_slow();
  return all;
}

class Litmus : public testing::TestWithParam<Parameter> {};
TEST_P(Litmus, HasThePublishedNumberOfExecutions) {
  const auto [program, model] = GetParam();
  has_the_published_number(published()[program], model);
}
INSTANTIATE_TEST_SUITE_P(Published,
                         Litmus,
                         testing::Combine(testing::Range(std::size_t{0}, published().size()),
                                          testing::Values(Model::kSc, Model::kRc11)),
                         [](const auto& info) { return name_of(published(), info); });

class SlowLitmus : public testing::TestWithParam<Parameter> {};
TEST_P(SlowLitmus, HasThePublishedNumberOfExecutions) {
  const auto [program, model] = GetParam();
  has_the_published_number(slow()[program], model);
}
INSTANTIATE_TEST_SUITE_P(Slow,
                         SlowLitmus,
                         testing::Combine(testing::Range(std::size_t{0}, slow().size()),
                                          testing::Values(Model::kSc, Model::kRc11)),
                         [](const auto& info) { return name_of(slow(), info); });

}  // namespace
}  // namespace overbite::ordering
