// The condition of RC11 on sequentially consistent accesses and fences: psc is acyclic
// (Lahav, Vafeiadis, Kang, Hur and Dreyer, "Repairing Sequential Consistency in C/C++11", PLDI
// 2017, section 3; C++20 [atomics.order] by P0668 says the same).
#pragma once

#include <functional>
#include <vector>

#include "ordering/runtime/operation.h"
#include "ordering/runtime/vector_clock.h"

namespace overbite::ordering {

// A node as far as psc is concerned.
struct PscNode {
  ThreadId thread = 0;
  std::int16_t position = 0;
  ObjectId object = kNoObject;
  int place = -1;  // of the write that it is or reads from, among its object's; -1: initial
  bool read = false;
  bool write = false;
  bool sc = false;     // an access with memory_order_seq_cst
  bool fence = false;  // a fence with memory_order_seq_cst
};

using HappensBefore = std::function<bool(int, int)>;

// Nodes of one thread in its order.
bool psc_is_acyclic(const std::vector<PscNode>& nodes, const HappensBefore& happens_before);

}  // namespace overbite::ordering
