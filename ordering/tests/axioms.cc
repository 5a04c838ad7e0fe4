#include "ordering/tests/axioms.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "ordering/tests/relation.h"

namespace overbite::ordering {
namespace {

using litmus::Do;
using litmus::Op;
using litmus::Order;
using litmus::Program;

static_assert(kEventsMax == kAxiomEventsMax);

// A load, a store, a read-modify-write (one event) or a fence.
struct Event {
  Op op;
  int thread = -1;  // -1: an initial write
  bool may_read = false;
  bool may_write = false;
  // Of the graph at hand:
  bool present = true;
  bool reads = false;
  bool writes = false;
  int source = -1;  // an event
  int written = 0;
  Order order = Order::kRelaxed;
};

bool reads(Do act) { return act != Do::kStore && act != Do::kFence && act < Do::kIf; }
bool writes(Do act) { return act >= Do::kStore && act <= Do::kCompareExchange; }
bool acquires(const Event& e) { return e.order != Order::kRelaxed && e.order != Order::kRelease; }
bool releases(const Event& e) { return e.order >= Order::kRelease; }
bool is_fence(const Event& e) { return e.present && e.op.act == Do::kFence; }
bool is_sc(const Event& e) { return e.present && e.order == Order::kSeqCst; }

class Enumeration {
 public:
  Enumeration(const Program& program, Axioms axioms);

  std::uint64_t count();

 private:
  int size() const { return static_cast<int>(events_.size()); }
  Event& at(int i) { return events_[static_cast<std::size_t>(i)]; }
  const Event& at(int i) const { return events_[static_cast<std::size_t>(i)]; }

  // Reads-from of event `i` and those behind it. `causes` is transitive.
  void choose_source(int i, const Relation& causes);
  // The values, thread by thread as their sources get theirs. False: it cannot be like that.
  bool evaluate();
  bool perform(int id, bool ended, int& read);
  // The order of each cell's writes: every permutation.
  void choose_orders();
  void permute(int cell);
  // A read-modify-write comes right behind what it reads.
  bool is_atomic(const std::vector<int>& order, int cell) const;
  Relation program_order() const;
  Relation reads_from() const;
  Relation happens_before() const;
  bool is_consistent() const;
  // psc, of psc_base and psc_F
  Relation partial_sc(const Relation& mo, const Relation& fr, const Relation& eco) const;

  const Program& program_;
  const Axioms axioms_;
  std::vector<Event> events_;
  int initial_ = 0;  // initial writes come first, one a cell
  Relation before_;  // program order, were every event present
  Relation happens_before_;
  std::vector<std::vector<int>> orders_;
  std::uint64_t count_ = 0;
};

Enumeration::Enumeration(const Program& program, Axioms axioms)
    : program_(program), axioms_(axioms) {
  const int cells = litmus::cells_of(program);
  for (int cell = 0; cell < cells; ++cell) {
    Event initial;
    initial.op.cell = cell;
    initial.op.act = Do::kStore;
    initial.may_write = initial.writes = true;
    events_.push_back(initial);
  }
  initial_ = cells;
  for (std::size_t thread = 0; thread < program.size(); ++thread) {
    for (const Op& op : program[thread]) {
      if (op.act < Do::kIf) {
        Event event;
        event.op = op;
        event.thread = static_cast<int>(thread);
        event.may_read = reads(op.act);
        event.may_write = writes(op.act);
        events_.push_back(event);
      }
    }
  }
  if (size() > kEventsMax) {
    std::abort();
  }
  for (int a = 0; a < size(); ++a) {
    for (int b = 0; b < size(); ++b) {
      const bool in_thread = at(a).thread == at(b).thread && at(a).thread >= 0 && a < b;
      if (in_thread || (at(a).thread < 0 && at(b).thread >= 0)) {
        before_.add(a, b);
      }
    }
  }
}

std::uint64_t Enumeration::count() {
  choose_source(initial_, before_);
  return count_;
}

void Enumeration::choose_source(int i, const Relation& causes) {
  while (i < size() && !at(i).may_read) {
    ++i;
  }
  if (i == size()) {
    if (evaluate()) {
      choose_orders();
    }
    return;
  }
  for (int w = 0; w < size(); ++w) {
    if (!at(w).may_write || at(w).op.cell != at(i).op.cell || w == i || causes.has(i, w)) {
      continue;
    }
    at(i).source = w;
    Relation more = causes;
    more.add(w, i);
    choose_source(i + 1, closure(more));
  }
}

bool Enumeration::evaluate() {
  std::vector<std::size_t> next(program_.size());  // word of each thread
  std::vector<int> event(program_.size());         // and the event of that word
  std::vector<int> read(program_.size());
  std::vector<char> ended(program_.size());
  int first = initial_;
  for (std::size_t t = 0; t < program_.size(); ++t) {
    event[t] = first;
    for (const Op& op : program_[t]) {
      first += op.act < Do::kIf ? 1 : 0;
    }
  }
  std::uint32_t known = (1u << initial_) - 1;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t t = 0; t < program_.size(); ++t) {
      while (next[t] < program_[t].size()) {
        const Op& op = program_[t][next[t]];
        if (op.act >= Do::kIf) {
          const bool goes_on = ended[t] != 0 || litmus::holds(op, read[t]);
          if (!goes_on && op.act == Do::kAssume) {
            return false;
          }
          ended[t] = goes_on ? ended[t] : 1;
        } else {
          const int id = event[t];
          if (at(id).may_read && (known >> at(id).source & 1) == 0) {
            break;
          }
          if (!perform(id, ended[t] != 0, read[t])) {
            return false;
          }
          known |= 1u << id;
          ++event[t];
        }
        ++next[t];
        changed = true;
      }
    }
  }
  return known == (1u << size()) - 1;
}

bool Enumeration::perform(int id, bool ended, int& read) {
  Event& event = at(id);
  event.present = !ended;
  event.reads = event.may_read && !ended;
  event.writes = event.may_write && !ended;
  event.order = event.op.order;
  if (ended) {
    return !event.may_read || event.source == event.op.cell;  // counted once: the initial write
  }
  const int before = event.reads ? at(event.source).written : 0;
  if (event.reads && !at(event.source).writes) {
    return false;
  }
  const int value = event.op.value + (event.op.adds_read ? read : 0);
  event.written = event.op.act == Do::kAdd ? before + value : value;
  if (event.op.act == Do::kCompareExchange && before != event.op.expected) {
    event.writes = false;
    event.order = event.op.failure_order;
  }
  if (event.op.act == Do::kAwait && !litmus::holds(event.op, before)) {
    return false;
  }
  if (event.reads) {
    read = before;
  }
  return true;
}

void Enumeration::choose_orders() {
  orders_.assign(static_cast<std::size_t>(initial_), {});
  for (int i = initial_; i < size(); ++i) {
    if (at(i).writes) {
      orders_[static_cast<std::size_t>(at(i).op.cell)].push_back(i);
    }
  }
  happens_before_ = happens_before();
  permute(0);
}

void Enumeration::permute(int cell) {
  if (cell == initial_) {
    count_ += is_consistent() ? 1 : 0;
    return;
  }
  auto& order = orders_[static_cast<std::size_t>(cell)];
  std::sort(order.begin(), order.end());
  do {
    if (is_atomic(order, cell)) {
      permute(cell + 1);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

bool Enumeration::is_atomic(const std::vector<int>& order, int cell) const {
  int previous = cell;
  for (const int write : order) {
    if (at(write).reads && at(write).source != previous) {
      return false;
    }
    previous = write;
  }
  return true;
}

Relation Enumeration::program_order() const {
  Relation po;
  for (int a = 0; a < size(); ++a) {
    for (int b = 0; b < size(); ++b) {
      if (before_.has(a, b) && at(a).present && at(b).present) {
        po.add(a, b);
      }
    }
  }
  return po;
}

Relation Enumeration::reads_from() const {
  Relation rf;
  for (int i = 0; i < size(); ++i) {
    if (at(i).reads) {
      rf.add(at(i).source, i);
    }
  }
  return rf;
}

Relation Enumeration::happens_before() const {
  const Relation po = program_order();
  Relation synchronizes;
  for (int r = 0; r < size(); ++r) {
    if (!at(r).reads) {
      continue;
    }
    // Up the release sequence, from read-modify-write to read-modify-write.
    for (int w = at(r).source; w >= initial_; w = at(w).reads ? at(w).source : -1) {
      for (int a = initial_; a < size(); ++a) {
        const bool from =
            at(a).present && releases(at(a)) && (a == w || (is_fence(at(a)) && po.has(a, w)));
        for (int b = initial_; from && b < size(); ++b) {
          if (at(b).present && acquires(at(b)) && (b == r || (is_fence(at(b)) && po.has(r, b)))) {
            synchronizes.add(a, b);
          }
        }
      }
    }
  }
  return closure(po | synchronizes);
}

bool Enumeration::is_consistent() const {
  Relation mo;
  Relation fr;
  for (int cell = 0; cell < initial_; ++cell) {
    std::vector<int> order = {cell};
    const auto& rest = orders_[static_cast<std::size_t>(cell)];
    order.insert(order.end(), rest.begin(), rest.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t j = i + 1; j < order.size(); ++j) {
        mo.add(order[i], order[j]);
        for (int r = 0; r < size(); ++r) {
          if (at(r).reads && at(r).source == order[i] && r != order[j]) {
            fr.add(r, order[j]);
          }
        }
      }
    }
  }
  if (axioms_ == Axioms::kSc) {
    return is_acyclic(program_order() | reads_from() | mo | fr);
  }
  const Relation eco = closure(reads_from() | mo | fr);
  return is_irreflexive(happens_before_) && is_irreflexive(eco) &&
         is_irreflexive(happens_before_ * eco) && is_acyclic(partial_sc(mo, fr, eco));
}

Relation Enumeration::partial_sc(const Relation& mo,
                                 const Relation& fr,
                                 const Relation& eco) const {
  const Relation& hb = happens_before_;
  const Relation po = program_order();
  Relation elsewhere;  // program order, to a different cell or a fence
  Relation here;       // happens-before, at one cell
  Relation same;       // every event, itself
  Relation fences;
  for (int a = 0; a < size(); ++a) {
    same.add(a, a);
    for (int b = 0; b < size(); ++b) {
      const bool one_cell = !is_fence(at(a)) && !is_fence(at(b)) && at(a).op.cell == at(b).op.cell;
      const bool is_update = a == b && at(a).reads && at(a).writes;
      if (axioms_ == Axioms::kRc11AnyLocation ? po.has(a, b) || is_update
                                              : po.has(a, b) && !one_cell) {
        elsewhere.add(a, b);
      }
      if (hb.has(a, b) && one_cell) {
        here.add(a, b);
      }
    }
  }
  Relation accesses;
  for (int a = 0; a < size(); ++a) {
    if (is_sc(at(a))) {
      (is_fence(at(a)) ? fences : accesses).add(a, a);
    }
  }
  const Relation scb = po | elsewhere * hb * elsewhere | here | mo | fr;
  const Relation base = (accesses | fences * (hb | same)) * scb * (accesses | (hb | same) * fences);
  return base | fences * (hb | hb * eco * hb) * fences;
}

}  // namespace

std::uint64_t count_graphs(const Program& program, Axioms axioms) {
  return Enumeration(program, axioms).count();
}

}  // namespace overbite::ordering
