#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "ordering/report/explanation.h"
#include "ordering/report/words.h"

namespace overbite::ordering {

namespace {

// A line of code is what a memory order belongs to: every event of it changes with it.
using Orders = std::map<const void*, std::uint8_t>;

struct Site {
  const void* pc = nullptr;
  std::size_t event = 0;  // the last one there
};

bool has_an_order(const Operation& op) { return is_atomic(op.kind) || op.kind == OpKind::kFence; }

std::vector<Site> weak_sites(const std::vector<Event>& events) {
  std::vector<Site> sites;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Operation& op = events[i].op;
    if (!has_an_order(op) || op.order == kSeqCst) {
      continue;
    }
    const auto known = std::find_if(
        sites.begin(), sites.end(), [&op](const Site& site) { return site.pc == op.pc; });
    if (known == sites.end()) {
      sites.push_back({op.pc, i});
    } else {
      known->event = i;
    }
  }
  return sites;
}

Operation with_order(Operation op, std::uint8_t order) {
  op.order = order;
  if (op.kind == OpKind::kCas) {
    op.failure_order = order == kSeqCst ? kSeqCst : acquires(order) ? kAcquire : op.failure_order;
  }
  return op;
}

// With these orders the execution is forbidden, or the race is none.
bool prevents(const History& history, const Orders& orders) {
  const History changed(history.execution(), [&orders](const Operation& op) {
    const auto found = orders.find(op.pc);
    return found == orders.end() || !has_an_order(op) ? op : with_order(op, found->second);
  });
  const bool race = history.execution().failure.kind == FailureKind::kDataRace;
  return !changed.is_consistent() || (race && !changed.is_race_unordered());
}

std::vector<std::uint8_t> weaker_than_seq_cst(OpKind kind) {
  switch (kind) {
    case OpKind::kLoad:
      return {kAcquire};
    case OpKind::kStore:
      return {kRelease};
    default:
      return {kAcquire, kRelease, kAcqRel};
  }
}

// From everything seq_cst down to what is still enough.
Orders fewest_orders(const History& history, const std::vector<Site>& sites) {
  Orders orders;
  for (const Site& site : sites) {
    orders[site.pc] = kSeqCst;
  }
  if (!prevents(history, orders)) {
    return {};
  }
  for (const Site& site : sites) {
    orders.erase(site.pc);
    if (!prevents(history, orders)) {
      orders[site.pc] = kSeqCst;
    }
  }
  for (const Site& site : sites) {
    if (!orders.contains(site.pc)) {
      continue;
    }
    for (const std::uint8_t order :
         weaker_than_seq_cst(history.execution().events[site.event].op.kind)) {
      orders[site.pc] = order;
      if (prevents(history, orders)) {
        break;
      }
      orders[site.pc] = kSeqCst;
    }
  }
  return orders;
}

const char* word_of(std::uint8_t order) {
  return order == kAcquire   ? "acquire"
         : order == kRelease ? "release"
         : order == kAcqRel  ? "acq_rel"
                             : "seq_cst";
}

}  // namespace

Explanation missing_orders(const History& history, const SourceLookup& lines) {
  const Execution& execution = history.execution();
  const std::vector<Site> sites = weak_sites(execution.events);
  const Orders orders = fewest_orders(history, sites);
  Explanation out;
  std::size_t left = orders.size();
  for (const Site& site : sites) {
    const auto found = orders.find(site.pc);
    if (found == orders.end()) {
      continue;
    }
    const Event& event = execution.events[site.event];
    const std::string object = object_name(execution, event);
    const std::string place = lines(site.pc).short_place();
    out.push_back({fmt::format("{}{}{} (",
                               out.empty() ? "With "
                               : left == 1 ? " and "
                                           : ", ",
                               word_of(found->second),
                               place.empty() ? "" : " at " + place)});
    out.push_back({"", static_cast<int>(site.event)});
    out.push_back({fmt::format(": the {}{} is {})",
                               kind_word(event.op.kind),
                               object.empty() ? "" : " of " + object,
                               order_word(event))});
    --left;
  }
  if (!out.empty()) {
    out.push_back({execution.failure.kind == FailureKind::kDataRace
                       ? " the two accesses would be ordered."
                       : " this run would not be possible."});
  }
  return out;
}

}  // namespace overbite::ordering
