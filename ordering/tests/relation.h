// Relations over a few events, as matrices of bits. Simple rather than fast: for an oracle.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace overbite::ordering {

using Row = std::uint16_t;
inline constexpr int kEventsMax = 8 * sizeof(Row);

struct Relation {
  std::array<Row, kEventsMax> rows{};

  void add(int a, int b) { rows[static_cast<std::size_t>(a)] |= static_cast<Row>(1u << b); }
  bool has(int a, int b) const { return (rows[static_cast<std::size_t>(a)] >> b & 1) != 0; }
};

inline Relation operator|(Relation a, const Relation& b) {
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    a.rows[i] |= b.rows[i];
  }
  return a;
}

// Relational composition.
inline Relation operator*(const Relation& a, const Relation& b) {
  Relation result;
  for (std::size_t i = 0; i < a.rows.size(); ++i) {
    for (int j = 0; j < kEventsMax; ++j) {
      if (a.has(static_cast<int>(i), j)) {
        result.rows[i] |= b.rows[static_cast<std::size_t>(j)];
      }
    }
  }
  return result;
}

inline Relation closure(Relation r) {
  for (int k = 0; k < kEventsMax; ++k) {
    for (std::size_t i = 0; i < r.rows.size(); ++i) {
      if (r.has(static_cast<int>(i), k)) {
        r.rows[i] |= r.rows[static_cast<std::size_t>(k)];
      }
    }
  }
  return r;
}

inline bool is_irreflexive(const Relation& r) {
  for (int i = 0; i < kEventsMax; ++i) {
    if (r.has(i, i)) {
      return false;
    }
  }
  return true;
}

inline bool is_acyclic(const Relation& r) { return is_irreflexive(closure(r)); }

}  // namespace overbite::ordering
