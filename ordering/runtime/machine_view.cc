// What the machine tells a scheduler about the operations that are next, and a reader about why
// an execution did not simply end.
#include <fmt/format.h>

#include <algorithm>

#include "ordering/runtime/machine.h"
#include "ordering/runtime/symbols.h"

namespace overbite::ordering {

namespace {

void add_send(const Objects& objects, const Object& sender, Footprint& out) {
  const Object& peer = objects[sender.peer];
  if (!peer.closed && peer.incoming.size() < kChannelCapacity) {
    out.add(sender.peer, kTail, true);
    out.add(sender.peer, kFirstCell + peer.sent_to % kChannelCapacity, true);
    return;
  }
  out.add(sender.peer, kTail, false);
  out.add(sender.peer, kHead, false);
}

void add_receive(const Object& end, ObjectId id, Footprint& out) {
  if (!end.incoming.empty()) {
    // A send to a queue that is neither empty nor full touches the tail and another cell, so it
    // commutes with this; one that finds it empty is seen through the cell.
    out.add(id, kHead, true);
    out.add(id, kFirstCell + end.received_from % kChannelCapacity, true);
    return;
  }
  out.add(id, kTail, false);
  out.add(id, kHead, false);
}

void add_poll(const Objects& objects, const Operation& op, Footprint& out) {
  for (int i = 0; i < op.polled_count; ++i) {
    const PollEntry& entry = op.polled[static_cast<std::size_t>(i)];
    const Object& object = objects[entry.object];
    out.add(entry.object, kTail, false);
    if (object.kind != ObjectKind::kChannelEnd) {
      continue;
    }
    out.add(entry.object, kHead, false);
    if ((entry.events & POLLOUT) != 0) {
      out.add(object.peer, kTail, false);
      out.add(object.peer, kHead, false);
    }
  }
}

}  // namespace

Footprint Machine::footprint(ThreadId id) const {
  const Thread& thread = *threads_[index(id)];
  const Operation& op = thread.op;
  const Object& object = objects_[op.object];
  Footprint out;
  out.everything = timing_out_;
  switch (op.kind) {
    case OpKind::kLoad:
      out.add(op.object, kWhole, false);
      break;
    case OpKind::kStore:
    case OpKind::kRmw:
      out.add(op.object, kWhole, true);
      break;
    case OpKind::kCas:
      // One that fails now is a read.
      out.add(op.object, kWhole, load_value(op.address, op.size) == op.expected);
      break;
    case OpKind::kLock:
      out.add(op.object, kAcquired, true);
      break;
    case OpKind::kTryLock:
      out.add(op.object, kAcquired, object.owner < 0);
      out.add(op.object, kReleased, false);
      break;
    case OpKind::kUnlock:
      out.add(op.object, kReleased, true);
      break;
    case OpKind::kWait:
      out.add(op.object, kWhole, true);
      out.add(op.mutex, kReleased, true);
      break;
    case OpKind::kWake:
      out.add(op.mutex, kAcquired, true);
      break;
    case OpKind::kNotifyOne:
    case OpKind::kNotifyAll:
      out.add(op.object, kWhole, !object.waiters.empty());
      break;
    case OpKind::kSend:
      add_send(objects_, object, out);
      break;
    case OpKind::kReceive:
      add_receive(object, op.object, out);
      break;
    case OpKind::kEventWrite:
      out.add(op.object, kWhole, true);
      break;
    case OpKind::kEventRead:
      out.add(op.object, kWhole, object.counter != 0);
      break;
    case OpKind::kPoll:
      add_poll(objects_, op, out);
      break;
    case OpKind::kClose:
      for (const ObjectId closed : {op.object, object.peer}) {
        out.add(closed, kTail, true);
        out.add(closed, kHead, true);
        if (object.kind != ObjectKind::kChannelEnd) {
          break;
        }
      }
      break;
    case OpKind::kSpawn:
    case OpKind::kJoin:
      break;
  }
  return out;
}

int Machine::variants(ThreadId id) const {
  const Operation& op = threads_[index(id)]->op;
  if (op.kind != OpKind::kNotifyOne) {
    return 1;
  }
  return std::max(1, static_cast<int>(objects_[op.object].waiters.size()));
}

std::string Machine::describe_next(ThreadId id) const {
  const Thread& thread = *threads_[index(id)];
  return fmt::format("{}: {}", thread.name, waits_for(thread));
}

std::string Machine::waits_for(const Thread& thread) const {
  if (thread.joining >= 0) {
    return fmt::format("the end of {}", threads_[index(thread.joining)]->name);
  }
  const Operation& op = thread.op;
  const std::string object = op.object < objects_.size() ? objects_.describe(op.object) : "";
  switch (op.kind) {
    case OpKind::kLock: {
      const ThreadId owner = objects_[op.object].owner;
      return fmt::format(
          "lock of {}{}", object, owner >= 0 ? ", held by " + threads_[index(owner)]->name : "");
    }
    case OpKind::kWake:
      return thread.signalled ? "lock of " + objects_.describe(op.mutex)
                              : "a notification of " + object;
    case OpKind::kPoll: {
      std::string polled;
      for (int i = 0; i < op.polled_count; ++i) {
        const PollEntry& entry = op.polled[static_cast<std::size_t>(i)];
        polled += fmt::format("{}{}", i == 0 ? "" : " or ", objects_.describe(entry.object));
      }
      return "poll of " + polled;
    }
    case OpKind::kReceive:
      return "a datagram at " + object;
    case OpKind::kEventRead:
      return "a write of " + object;
    default:
      return object;
  }
}

void Machine::describe_execution() {
  for (ThreadId id = 0; id < thread_count_; ++id) {
    const Thread& thread = *threads_[index(id)];
    const bool blocked = thread.joining >= 0 || (thread.pending && !can_run(thread));
    execution_.threads.push_back({thread.name, blocked ? waits_for(thread) : std::string()});
  }
  for (ObjectId id = 0; id < objects_.size(); ++id) {
    execution_.objects.push_back(objects_.describe(id));
  }
  for (const std::vector<char>& datagram : datagrams_) {
    execution_.datagrams.push_back(datagram_words_ != nullptr
                                       ? datagram_words_(datagram.data(), datagram.size())
                                       : fmt::format("#{}", execution_.datagrams.size() + 1));
  }
}

}  // namespace overbite::ordering
