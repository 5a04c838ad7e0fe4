// The kernel's queue of a channel is full: what the loop has to say waits in memory. The executor
// may read in the very moment between a flush that failed and the next send, and that one must not
// overtake what waits (a disconnect tag before an earlier request's, credit before its loss).
#include <cstdint>
#include <thread>
#include <vector>

#include "ordering/scenario.h"
#include "ordering/scenarios/lane_setup.h"

namespace overbite::ordering {
namespace {

constexpr std::uint32_t kFits = 16;  // the model's queue
constexpr std::uint32_t kMessages = kFits + 2;

}  // namespace

OVERBITE_SCENARIO(full_channel_vs_flush,
                  "messages arrive once and in order, also through a channel that was full") {
  handoff::Channel channel = handoff::Channel::open();
  name_datagrams(&message_words);
  name(channel, "channel");
  name_thread("loop");
  const auto send = [&channel](std::uint32_t number) {
    channel.loop.send({handoff::MessageKind::kDisconnect, {0, number}});
  };
  for (std::uint32_t number = 1; number <= kFits; ++number) {
    send(number);
  }
  std::vector<handoff::Message> got;
  std::thread executor([&channel, &got] {
    name_thread("executor");
    channel.executor.receive_all(got);
  });
  send(kMessages - 1);
  send(kMessages);
  executor.join();
  channel.loop.flush();
  channel.executor.receive_all(got);
  require(got.size() == kMessages, "a message is lost");
  for (std::uint32_t number = 1; number <= kMessages; ++number) {
    require(got[number - 1].slot.generation == number, "a message overtook another");
  }
}

}  // namespace overbite::ordering
