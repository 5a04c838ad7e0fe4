// One run, decision by decision.
#pragma once

#include <vector>

#include "ordering/explore/strategy.h"

namespace overbite::ordering {

// Signatures are compared under `signature_mask`; 0 compares nothing. Where a step does not fit,
// the execution ends with FailureKind::kReplayMismatch and says at which step. After the last step
// the run goes on with the lowest thread that can run.
class Replay final : public Strategy {
 public:
  Replay(std::vector<Step> steps, std::uint32_t signature_mask);

  bool begin() override;
  Choice choose(const StepView& view) override;
  void ended(const StepView& view, End end) override;

 private:
  const std::vector<Step> steps_;
  const std::uint32_t signature_mask_;
  std::size_t next_ = 0;
  bool started_ = false;
};

}  // namespace overbite::ordering
