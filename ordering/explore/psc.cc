#include "ordering/explore/psc.h"

#include <cstdint>

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
  // row `to` gains row `from` of `other`
  void add_row(std::size_t to, const Relation& other, std::size_t from) {
    for (std::size_t i = 0; i < words_; ++i) {
      bits_[to * words_ + i] |= other.bits_[from * words_ + i];
    }
  }
  std::size_t size() const { return words_ == 0 ? 0 : bits_.size() / words_; }

  // this ; next
  Relation then(const Relation& next) const {
    Relation result(size());
    for (std::size_t a = 0; a < size(); ++a) {
      for (std::size_t b = 0; b < size(); ++b) {
        if (has(a, b)) {
          result.add_row(a, next, b);
        }
      }
    }
    return result;
  }
  void add_all(const Relation& other) {
    for (std::size_t i = 0; i < bits_.size(); ++i) {
      bits_[i] |= other.bits_[i];
    }
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

// The relations of which psc is made, over all nodes.
struct Relations {
  explicit Relations(std::size_t count) : hb(count), elsewhere(count), eco(count), scb(count) {}
  Relation hb;
  Relation elsewhere;  // program order between different objects
  Relation eco;        // extended coherence order
  Relation scb;        // "SC before"
};

void relate(const PscNode& first,
            const PscNode& second,
            std::size_t a,
            std::size_t b,
            bool before,
            Relations& out) {
  const bool same_object = first.object == second.object && first.object != kNoObject;
  const bool in_program_order = first.thread == second.thread && first.position < second.position;
  if (before) {
    out.hb.add(a, b);
  }
  if (in_program_order && !same_object) {
    out.elsewhere.add(a, b);
  }
  if (extended_coherence(first, second)) {
    out.eco.add(a, b);
  }
  const bool modification_or_from_read =
      same_object && second.write && first.place < second.place && (first.write || first.read);
  if (in_program_order || (before && same_object) || modification_or_from_read) {
    out.scb.add(a, b);
  }
}

Relations relations_of(const std::vector<PscNode>& nodes,
                       const std::function<bool(int, int)>& happens_before) {
  Relations result(nodes.size());
  for (std::size_t a = 0; a < nodes.size(); ++a) {
    for (std::size_t b = 0; b < nodes.size(); ++b) {
      if (a != b) {
        const bool before = happens_before(static_cast<int>(a), static_cast<int>(b));
        relate(nodes[a], nodes[b], a, b, before, result);
      }
    }
  }
  result.scb.add_all(
      result.elsewhere.then(result.hb).then(result.elsewhere));  // guard: psc-elsewhere
  return result;
}

// What comes behind node `a` by the first two parts of psc_base, as row `a` of the result.
Relation reached_from(std::size_t a, bool is_fence, const Relations& all) {
  Relation from(all.hb.size());
  from.add_row(a, all.scb, a);
  for (std::size_t x = 0; is_fence && x < all.hb.size(); ++x) {
    if (all.hb.has(a, x)) {
      from.add_row(a, all.scb, x);
    }
  }
  return from;
}

}  // namespace

bool psc_is_acyclic(const std::vector<PscNode>& nodes,
                    const std::function<bool(int, int)>& happens_before) {
  const std::size_t count = nodes.size();
  std::vector<std::size_t> sc;
  for (std::size_t i = 0; i < count; ++i) {
    if (nodes[i].sc || nodes[i].fence) {
      sc.push_back(i);
    }
  }
  if (sc.size() < 2) {
    return true;
  }
  const Relations all = relations_of(nodes, happens_before);
  Relation between_fences = all.hb.then(all.eco).then(all.hb);
  between_fences.add_all(all.hb);
  Relation psc(count);
  for (const std::size_t a : sc) {
    const Relation from = reached_from(a, nodes[a].fence, all);
    for (const std::size_t b : sc) {
      bool related = from.has(a, b);
      for (std::size_t y = 0; nodes[b].fence && y < count && !related; ++y) {
        related = from.has(a, y) && all.hb.has(y, b);
      }
      if (related ||
          (nodes[a].fence && nodes[b].fence && between_fences.has(a, b))) {  // guard: psc-fences
        psc.add(a, b);
      }
    }
  }
  return psc.is_acyclic();
}

}  // namespace overbite::ordering
