#include "ordering/explore/psc.h"

#include <algorithm>
#include <cstdint>
#include <span>

namespace overbite::ordering {

namespace {

// A relation over the nodes, a row of bits for each.
class Relation {
 public:
  explicit Relation(std::size_t count) : words_((count + 63) / 64), bits_(count * words_) {}

  void add(std::size_t from, std::size_t to) {
    bits_[from * words_ + to / 64] |= std::uint64_t{1} << (to % 64);
  }
  bool has(std::size_t from, std::size_t to) const {
    return (bits_[from * words_ + to / 64] >> (to % 64) & 1) != 0;
  }
  std::size_t size() const { return words_ == 0 ? 0 : bits_.size() / words_; }
  std::span<const std::uint64_t> row(std::size_t from) const {
    return std::span(bits_).subspan(from * words_, words_);
  }
  // The nodes that some node of `nodes` is related to.
  std::vector<std::uint64_t> image_of(std::span<const std::uint64_t> nodes) const {
    std::vector<std::uint64_t> result(words_);
    for (std::size_t a = 0; a < size(); ++a) {
      if ((nodes[a / 64] >> (a % 64) & 1) != 0) {
        for (std::size_t i = 0; i < words_; ++i) {
          result[i] |= bits_[a * words_ + i];
        }
      }
    }
    return result;
  }
  bool is_acyclic() const {
    std::vector<char> state(size(), 0);  // 1: being visited, 2: done
    for (std::size_t a = 0; a < size(); ++a) {
      if (state[a] == 0 && reaches_itself(a, state)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool reaches_itself(std::size_t a, std::vector<char>& state) const {
    state[a] = 1;
    for (std::size_t b = 0; b < size(); ++b) {
      if (has(a, b) && (state[b] == 1 || (state[b] == 0 && reaches_itself(b, state)))) {
        return true;
      }
    }
    state[a] = 2;
    return false;
  }

  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

bool extended_coherence(const PscNode& a, const PscNode& b) {
  return a.object == b.object && a.object != kNoObject &&
         (a.place < b.place || (a.place == b.place && a.write && b.read));
}

// For each node the first behind it, and the last before it, in its thread that is about another
// object; -1: none.
struct Elsewhere {
  explicit Elsewhere(const std::vector<PscNode>& nodes)
      : next(nodes.size(), -1), previous(nodes.size(), -1) {
    std::vector<int> last(kThreadsMax, -1);  // by thread
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      int& before = last[static_cast<std::size_t>(nodes[i].thread)];
      if (before >= 0) {
        const auto there = static_cast<std::size_t>(before);
        previous[i] = is_other(nodes[there], nodes[i]) ? before : previous[there];
      }
      before = static_cast<int>(i);
    }
    std::fill(last.begin(), last.end(), -1);
    for (std::size_t i = nodes.size(); i-- > 0;) {
      int& behind = last[static_cast<std::size_t>(nodes[i].thread)];
      if (behind >= 0) {
        const auto there = static_cast<std::size_t>(behind);
        next[i] = is_other(nodes[there], nodes[i]) ? behind : next[there];
      }
      behind = static_cast<int>(i);
    }
  }
  static bool is_other(const PscNode& a, const PscNode& b) {
    return a.object != b.object || a.object == kNoObject;
  }
  std::vector<int> next;
  std::vector<int> previous;
};

// "SC before": scb of the paper.
class ScBefore {
 public:
  ScBefore(const std::vector<PscNode>& nodes, const HappensBefore& happens_before)
      : nodes_(nodes), happens_before_(happens_before), elsewhere_(nodes) {}

  bool operator()(std::size_t a, std::size_t b) const {
    const PscNode& first = nodes_[a];
    const PscNode& second = nodes_[b];
    if (first.thread == second.thread && first.position < second.position) {
      return true;
    }
    if (first.object == second.object && first.object != kNoObject) {
      const bool modification_or_from_read =
          second.write && first.place < second.place && (first.write || first.read);
      if (modification_or_from_read || happens_before_(static_cast<int>(a), static_cast<int>(b))) {
        return true;
      }
    }
    const int x = elsewhere_.next[a];
    const int y = elsewhere_.previous[b];
    return x >= 0 && y >= 0 && x != y && happens_before_(x, y);  // guard: psc-elsewhere
  }

 private:
  const std::vector<PscNode>& nodes_;
  const HappensBefore& happens_before_;
  const Elsewhere elsewhere_;
};

// The relations of which psc is made where there are fences, over all nodes.
struct Relations {
  explicit Relations(std::size_t count) : hb(count), before(count), eco(count), scb(count) {}
  Relation hb;
  Relation before;  // hb, the other way round
  Relation eco;     // extended coherence order
  Relation scb;
};

Relations relations_of(const std::vector<PscNode>& nodes,
                       const HappensBefore& happens_before,
                       const ScBefore& sc_before) {
  Relations result(nodes.size());
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    for (std::size_t b = 0; b < nodes.size(); ++b) {
      if (a == b) {
        continue;
      }
      if (happens_before(static_cast<int>(a), static_cast<int>(b))) {
        result.hb.add(a, b);
        result.before.add(b, a);
      }
      if (extended_coherence(nodes[a], nodes[b])) {
        result.eco.add(a, b);
      }
      if (sc_before(a, b)) {
        result.scb.add(a, b);
      }
    }
  }
  return result;
}

void add_all(std::vector<std::uint64_t>& to, std::span<const std::uint64_t> from) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] |= from[i];
  }
}

bool has_common(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((a[i] & b[i]) != 0) {
      return true;
    }
  }
  return false;
}

// psc with all of its parts.
Relation psc_of(const std::vector<PscNode>& nodes,
                const std::vector<std::size_t>& sc,
                const Relations& all) {
  Relation psc(sc.size());
  for (std::size_t i = 0; i < sc.size(); ++i) {
    const std::size_t a = sc[i];
    // What comes behind `a`: by scb, and for a fence by hb and then scb.
    const auto scb = all.scb.row(a);
    std::vector<std::uint64_t> from(scb.begin(), scb.end());
    std::vector<std::uint64_t> by_eco(from.size());  // hb and then eco
    if (nodes[a].fence) {
      add_all(from, all.scb.image_of(all.hb.row(a)));
      by_eco = all.eco.image_of(all.hb.row(a));
    }
    for (std::size_t j = 0; j < sc.size(); ++j) {
      const std::size_t b = sc[j];
      const bool both = nodes[a].fence && nodes[b].fence;
      const bool between_fences =
          both && (all.hb.has(a, b) || has_common(by_eco, all.before.row(b)));  // guard: psc-fences
      if ((from[b / 64] >> (b % 64) & 1) != 0 ||
          (nodes[b].fence && has_common(from, all.before.row(b))) || between_fences) {
        psc.add(i, j);
      }
    }
  }
  return psc;
}

}  // namespace

bool psc_is_acyclic(const std::vector<PscNode>& nodes, const HappensBefore& happens_before) {
  std::vector<std::size_t> sc;
  bool has_fence = false;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].sc || nodes[i].fence) {
      sc.push_back(i);
      has_fence = has_fence || nodes[i].fence;
    }
  }
  if (sc.size() < 2) {
    return true;
  }
  const ScBefore sc_before(nodes, happens_before);
  if (has_fence) {
    return psc_of(nodes, sc, relations_of(nodes, happens_before, sc_before)).is_acyclic();
  }
  Relation psc(sc.size());
  for (std::size_t a = 0; a < sc.size(); ++a) {
    for (std::size_t b = 0; b < sc.size(); ++b) {
      if (a != b && sc_before(sc[a], sc[b])) {
        psc.add(a, b);
      }
    }
  }
  return psc.is_acyclic();
}

}  // namespace overbite::ordering
