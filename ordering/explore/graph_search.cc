#include "ordering/explore/graph_search.h"

#include <algorithm>
#include <utility>

namespace overbite::ordering {

template <int Lanes>
GraphSearch<Lanes>::GraphSearch(Machine& machine, Model model, Shard shard)
    : machine_(machine), model_(model), shard_(shard) {
  push_frame();
  depth_ = 0;
}

template <int Lanes>
typename GraphSearch<Lanes>::Frame& GraphSearch<Lanes>::push_frame() {
  ++depth_;
  if (depth_ >= frames_.size()) {
    frames_.push_back(std::make_unique<Frame>());
    depth_ = frames_.size() - 1;
  }
  Frame& frame = *frames_[depth_];
  frame.options.clear();
  frame.reads.clear();
  frame.writes.clear();
  frame.floor = 0;
  return frame;
}

template <int Lanes>
void GraphSearch<Lanes>::start() {
  done_ = {};
  replayed_ = 0;
  turn_ = -1;
  dead_ = false;
  end_ = End::kComplete;
  failure_ = {};
  newest_run_.assign(newest_run_.size(), -1);
  std::fill(std::begin(parked_), std::end(parked_), Parked{});
}

template <int Lanes>
void GraphSearch<Lanes>::begin_again() {
  depth_ = 0;
  Frame& first = frame();
  first.graph.clear();
  first.options.clear();
  first.reads.clear();
  first.writes.clear();
  first.floor = 0;
  started_ = false;
  dealt_ = false;
}

template <int Lanes>
bool GraphSearch<Lanes>::begin() {
  looker_ = -1;
  if (!std::exchange(started_, true)) {
    return true;
  }
  if (!std::exchange(dealt_, true) && shard_.count > 1) {
    deal();
  }
  while (true) {
    if (frame().options.empty()) {
      if (depth_ == 0) {
        return false;
      }
      --depth_;
      continue;
    }
    const Option option = frame().options.back();
    frame().options.pop_back();
    if (try_option(option)) {
      return true;
    }
  }
}

// Keeps the options that are this shard's, and what belongs to them.
template <int Lanes>
void GraphSearch<Lanes>::deal() {
  Frame& first = *frames_[0];
  std::vector<Option> options;
  std::vector<NewRead> reads;
  std::vector<NewWrite> writes;
  std::size_t read = 0;
  std::size_t write = 0;
  int left_of_read = first.reads.empty() ? 0 : first.reads[0].options;
  int kept_of_read = 0;
  for (std::size_t i = 0; i < first.options.size(); ++i) {
    const Option& option = first.options[i];
    const bool mine = static_cast<int>(i) % shard_.count == shard_.number;
    if (mine) {
      options.push_back(option);
    }
    if (option.kind == Option::Kind::kRead) {
      kept_of_read += mine ? 1 : 0;
      if (--left_of_read == 0) {
        if (kept_of_read != 0) {
          reads.push_back({first.reads[read].op, first.reads[read].thread, kept_of_read});
        }
        kept_of_read = 0;
        ++read;
        left_of_read = read < first.reads.size() ? first.reads[read].options : 0;
      }
    } else if (option.kind == Option::Kind::kRevisit) {
      if (mine) {
        writes.push_back(first.writes[write]);
      }
      ++write;
    }
  }
  first.options = std::move(options);
  first.reads = std::move(reads);
  first.writes = std::move(writes);
}

template <int Lanes>
bool GraphSearch<Lanes>::try_option(const Option& option) {
  switch (option.kind) {
    case Option::Kind::kRead: {
      NewRead& read = frame().reads.back();
      const Operation op = read.op;
      const ThreadId thread = read.thread;
      if (--read.options == 0) {
        frame().reads.pop_back();
      }
      graph().cut(option.size);
      return try_read(op, thread, option.value, option.choice);
    }
    case Option::Kind::kPlace: {
      const Node node = graph()[option.size];
      graph().cut(option.size);
      return graph().add_write(node.op,
                               node.thread,
                               node.source,
                               node.content,
                               option.value,
                               initial(node.op.object),
                               model_);
    }
    case Option::Kind::kChoice: {
      const Operation op = graph()[option.size].op;
      const ThreadId thread = graph()[option.size].thread;
      graph().cut(option.size);
      graph().add_other(op, thread, option.choice);
      return true;
    }
    case Option::Kind::kRevisit: {
      const NewWrite write = frame().writes.back();
      frame().writes.pop_back();
      graph().cut(option.size);
      return try_revisit(option.value, write);
    }
    case Option::Kind::kRevisitAt:
      return try_revisit_at(option.value, option.choice);
    case Option::Kind::kLook:
      graph().cut(option.size);
      looker_ = option.value;
      return true;
  }
  return false;
}

template <int Lanes>
Content GraphSearch<Lanes>::initial(ObjectId object) const {
  return graph().touched(object) ? graph().content_of(kInitial, object)
                                 : machine_.objects().initial_of(object);
}

template <int Lanes>
bool GraphSearch<Lanes>::try_read(const Operation& op, ThreadId thread, NodeId source, int choice) {
  const NodeId id = graph().size();
  if (!graph().add_read(op, thread, source, choice, initial(op.object), model_)) {
    return false;
  }
  const Node& node = graph()[id];
  const Effect effect = step(op, thread, node.content, choice);
  return !effect.writes || add_write({op, thread, effect.after, true});
}

template <int Lanes>
bool GraphSearch<Lanes>::try_revisit(NodeId read, NewWrite write) {
  const Node old = graph()[read];
  const Clock causes = graph().next_causes(write.thread);
  const GraphT& from = graph();
  const std::vector<char>& kept = frame().revisits.find_kept(read, causes);
  Frame& next = push_frame();
  next.graph.copy_part(from, kept);
  next.base = next.graph.size();
  next.read_op = old.op;
  next.reader = old.thread;
  next.read_stamp = old.stamp;
  const ObjectId object = write.op.object;
  const int newest = static_cast<int>(next.graph.writes(object).size());
  int oldest = newest;
  if (write.reads_first) {
    const NodeId source = next.graph[next.graph.last(write.thread)].source;
    oldest = next.graph.place_of(source, object) + 1;
  } else {
    oldest = next.graph.oldest_visible(write.thread, object, model_) + 1;  // guard: revisit-place
  }
  const int ways = choices(old.op, write.content);
  for (int place = oldest; place <= (write.reads_first ? oldest : newest); ++place) {
    if (next.graph.is_glued(object, place)) {
      continue;
    }
    for (int choice = 0; choice < ways; ++choice) {
      next.options.push_back({Option::Kind::kRevisitAt, next.base, place, choice});
    }
  }
  next.write = std::move(write);
  return false;  // begin() goes on with the options
}

template <int Lanes>
bool GraphSearch<Lanes>::try_revisit_at(int place, int choice) {
  Frame& now = frame();
  GraphT& graph = now.graph;
  graph.cut(now.base);
  const NewWrite& write = now.write;
  const ObjectId object = write.op.object;
  const NodeId source = write.reads_first ? graph[graph.last(write.thread)].source : kInitial;
  const NodeId id = graph.size();
  if (!graph.add_write(
          write.op, write.thread, source, write.content, place, initial(object), model_)) {
    return false;
  }
  // Coherence: the reader may know something newer.
  if (place < graph.oldest_visible(now.reader, object, model_)) {
    return false;
  }
  const bool consistent =
      graph.add_read(now.read_op, now.reader, id, choice, initial(object), model_);
  graph.set_last_stamp(now.read_stamp);
  now.floor = graph.size();
  return consistent && finish_operations();
}

// Operations that read and write and have only read so far.
template <int Lanes>
bool GraphSearch<Lanes>::finish_operations() {
  for (ThreadId thread = 0; thread < Lanes; ++thread) {
    const NodeId last = graph().last(thread);
    if (last < 0 || !graph()[last].read || graph()[last].write || graph()[last].looked) {
      continue;
    }
    const Operation op = graph()[last].op;
    const Effect effect = step(op, thread, graph()[last].content, graph()[last].choice);
    if (effect.writes && !add_write({op, thread, effect.after, true})) {
      return false;
    }
  }
  return true;
}

// Adds it where it belongs by default, and puts the alternatives aside.
template <int Lanes>
bool GraphSearch<Lanes>::add_write(const NewWrite& write) {
  GraphT& graph = this->graph();
  const ObjectId object = write.op.object;
  add_revisits(write);
  const int newest = static_cast<int>(graph.writes(object).size());
  NodeId source = kInitial;
  int place = newest;
  if (write.reads_first) {
    source = graph[graph.last(write.thread)].source;
    place = graph.place_of(source, object) + 1;
    if (graph.is_glued(object, place)) {
      return false;
    }
  } else {
    const int oldest = graph.oldest_visible(write.thread, object, model_) + 1;
    for (int other = oldest; other < newest; ++other) {  // guard: middle-places
      if (!graph.is_glued(object, other)) {
        frame().options.push_back({Option::Kind::kPlace, graph.size(), other});
      }
    }
  }
  return graph.add_write(
      write.op, write.thread, source, write.content, place, initial(object), model_);
}

template <int Lanes>
void GraphSearch<Lanes>::add_revisits(const NewWrite& write) {
  GraphT& graph = this->graph();
  const Clock causes = graph.next_causes(write.thread);
  for (const NodeId id : graph.reads(write.op.object)) {
    const Node& read = graph[id];
    if (!causes.covers(read.thread, read.position) &&
        frame().revisits.is_possible(id, write, causes)) {  // guard: revisit-pushed
      frame().options.push_back({Option::Kind::kRevisit, graph.size(), id});
      frame().writes.push_back(write);
    }
  }
}

template class GraphSearch<8>;
template class GraphSearch<kThreadsMax>;

}  // namespace overbite::ordering
