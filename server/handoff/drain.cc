#include "server/handoff/drain.h"

#include <initializer_list>
#include <utility>

namespace overbite::handoff {

namespace {

enum class Source { kChannel, kRing, kChunks };

// At most one ring's worth: producers may be pushing all the while.
void take_completions(CompletionRing& ring, std::vector<Completion>& out) {
  Completion completion;
  for (std::size_t taken = 0; taken < ring.capacity() && ring.try_pop(completion); ++taken) {
    out.push_back(std::move(completion));
  }
}

void take(Source source, Lane& lane, Batch& out) {
  switch (source) {
    case Source::kChannel:
      lane.loop_channel().receive_all(out.messages);
      break;
    case Source::kRing:
      take_completions(lane.completions(), out.completions);
      break;
    case Source::kChunks:
      lane.chunks().drain(out.frames);
      break;
  }
}

}  // namespace

void Batch::clear() {
  completions.clear();
  frames.clear();
  messages.clear();
}

void apply(Batch& batch, BatchHandler& handler) {
  for (Completion& completion : batch.completions) {
    handler.on_completion(std::move(completion));
  }
  for (Frame& frame : batch.frames) {
    handler.on_frame(std::move(frame));
  }
  for (const Message& message : batch.messages) {
    handler.on_message(message);  // guard: abort-dropped
  }
  batch.clear();
}

void drain_completions_into(Lane& lane, Batch& out) {
  using enum Source;                                        // the order is the promise
  for (const Source source : {kChannel, kChunks, kRing}) {  // guard: drain-ring-before-channel
    take(source, lane, out);                                // guard: drain-ring-before-chunks
  }
}

}  // namespace overbite::handoff
