#include "ordering/litmus/words.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "ordering/scenario.h"

namespace overbite::ordering::litmus {
namespace {

constexpr std::array<std::string_view, 5> kOrderNames = {"rlx", "acq", "rel", "ar", "sc"};

// One word of a program, from the left.
class Word {
 public:
  explicit Word(std::string_view text) : whole_(text), rest_(text) {}

  bool skip(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) {
      return false;
    }
    rest_.remove_prefix(prefix.size());
    return true;
  }
  char take() {
    if (rest_.empty()) {
      give_up();
    }
    const char first = rest_.front();
    rest_.remove_prefix(1);
    return first;
  }
  int number() {
    const bool negative = skip("-");
    (void)skip("+");
    int value = 0;
    for (bool any = false; !any || (!rest_.empty() && std::isdigit(rest_.front()) != 0);
         any = true) {
      value = value * 10 + (take() - '0');
    }
    return negative ? -value : value;
  }
  void value(Op& op) {
    op.adds_read = skip("r");
    op.value = op.adds_read && (rest_.empty() || rest_.front() == '.') ? 0 : number();
  }
  Order order() {
    for (std::size_t i = 0; i < kOrderNames.size(); ++i) {
      if (skip(kOrderNames[i])) {
        return static_cast<Order>(i);
      }
    }
    give_up();
  }
  void orders(Op& op) {
    if (skip(".")) {
      op.order = order();
      op.failure_order = skip("/") ? order() : Order::kRelaxed;
    }
    if (!rest_.empty()) {
      give_up();
    }
  }

 private:
  [[noreturn]] void give_up() const {
    (void)std::fprintf(stderr, "not a litmus word: %.*s\n", (int)whole_.size(), whole_.data());
    std::abort();
  }
  std::string_view whole_;
  std::string_view rest_;
};

Op parse_condition(Word word, Do act) {
  Op op;
  op.act = act;
  op.compare = word.take();
  op.value = word.number();
  word.orders(op);
  return op;
}

Op parse_word(std::string_view text) {
  Word word(text);
  if (word.skip("if")) {
    return parse_condition(word, Do::kIf);
  }
  if (word.skip("assume")) {
    return parse_condition(word, Do::kAssume);
  }
  Op op;
  const char verb = word.take();
  op.act = verb == 'R'   ? Do::kLoad
           : verb == 'W' ? Do::kStore
           : verb == 'A' ? Do::kAdd
           : verb == 'E' ? Do::kExchange
           : verb == 'C' ? Do::kCompareExchange
           : verb == 'F' ? Do::kFence
           : verb == 'L' ? Do::kAwait
                         : Do::kPlainLoad;
  if (op.act != Do::kFence) {
    op.cell = word.take() - 'a';
  }
  if (op.act == Do::kCompareExchange && word.skip(":")) {
    op.expected = word.number();
    (void)word.skip(">");
    word.value(op);
  } else if (op.act == Do::kAwait) {
    op.compare = word.take();
    op.value = word.number();
  } else if (op.act == Do::kAdd) {
    word.value(op);
  } else if (word.skip("=")) {
    op.act = verb == 'd' ? Do::kPlainStore : op.act;
    word.value(op);
  }
  word.orders(op);
  return op;
}

// Cells as 0, 1, ... in the sequence in which they come up.
void number_cells(Program& program) {
  std::array<int, 256> numbers{};
  int cells = 0;
  for (auto& thread : program) {
    for (Op& op : thread) {
      int& number = numbers[static_cast<unsigned char>(op.cell)];
      if (op.act < Do::kIf && op.act != Do::kFence && number == 0) {
        number = ++cells;
      }
      op.cell = std::max(number - 1, 0);
    }
  }
}

std::string word_of(const Op& op) {
  const std::string cell(1, "xyzwuv"[op.cell]);
  const std::string value = (op.adds_read ? "r+" : "") + std::to_string(op.value);
  const std::string order = "." + std::string(kOrderNames[static_cast<std::size_t>(op.order)]);
  switch (op.act) {
    case Do::kLoad:
      return "R" + cell + order;
    case Do::kStore:
      return "W" + cell + "=" + value + order;
    case Do::kAdd:
      return "A" + cell + "+" + value + order;
    case Do::kExchange:
      return "E" + cell + "=" + value + order;
    case Do::kCompareExchange:
      return "C" + cell + ":" + std::to_string(op.expected) + ">" + value + order + "/" +
             std::string(kOrderNames[static_cast<std::size_t>(op.failure_order)]);
    case Do::kFence:
      return "F" + order;
    case Do::kPlainLoad:
      return "d" + cell;
    case Do::kPlainStore:
      return "d" + cell + "=" + value;
    case Do::kAwait:
      return "L" + cell + op.compare + value + order;
    case Do::kIf:
      return std::string("if") + op.compare + value;
    case Do::kAssume:
      break;
  }
  return std::string("assume") + op.compare + value;
}

struct Memory {
  explicit Memory(int cells)
      : atomics(new std::atomic<int>[static_cast<std::size_t>(cells)]),
        plain(new int[static_cast<std::size_t>(cells)]()) {
    for (int i = 0; i < cells; ++i) {
      atomics[static_cast<std::size_t>(i)].store(0, std::memory_order_relaxed);
    }
  }
  std::unique_ptr<std::atomic<int>[]> atomics;
  std::unique_ptr<int[]> plain;
};

std::memory_order standard(Order order) {
  constexpr std::array kOrders = {std::memory_order_relaxed,
                                  std::memory_order_acquire,
                                  std::memory_order_release,
                                  std::memory_order_acq_rel,
                                  std::memory_order_seq_cst};
  return kOrders[static_cast<std::size_t>(order)];
}

int compare_exchange(const Op& op, std::atomic<int>& cell, int value) {
  int expected = op.expected;
  cell.compare_exchange_strong(expected, value, standard(op.order), standard(op.failure_order));
  return expected;
}

// One operation; false: the thread ends.
bool perform(const Op& op, const Memory& memory, int& read) {
  std::atomic<int>& cell = memory.atomics[static_cast<std::size_t>(op.cell)];
  int& plain = memory.plain[static_cast<std::size_t>(op.cell)];
  const std::memory_order order = standard(op.order);
  const int value = op.value + (op.adds_read ? read : 0);
  switch (op.act) {
    case Do::kLoad:
      read = cell.load(order);
      return true;
    case Do::kStore:
      cell.store(value, order);
      return true;
    case Do::kAdd:
      read = cell.fetch_add(value, order);
      return true;
    case Do::kExchange:
      read = cell.exchange(value, order);
      return true;
    case Do::kCompareExchange:
      read = compare_exchange(op, cell, value);
      return true;
    case Do::kFence:
      std::atomic_thread_fence(order);
      return true;
    case Do::kPlainLoad:
      read = const_cast<volatile int&>(plain);
      return true;
    case Do::kPlainStore:
      const_cast<volatile int&>(plain) = value;
      return true;
    case Do::kAwait:
      await([&] { return holds(op, read = cell.load(order)); });
      return true;
    case Do::kIf:
      return holds(op, read);
    case Do::kAssume:
      assume(holds(op, read));
      return true;
  }
  return false;
}

}  // namespace

Program parse(std::string_view text) {
  Program program(1);
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (word == "|") {
      program.emplace_back();
    } else if (!word.empty()) {
      program.back().push_back(parse_word(word));
    }
  }
  number_cells(program);
  return program;
}

std::string text_of(const Program& program) {
  std::string text;
  for (const auto& thread : program) {
    text += text.empty() ? "" : "| ";
    for (const Op& op : thread) {
      text += word_of(op) + " ";
    }
  }
  return text;
}

int cells_of(const Program& program) {
  int cells = 0;
  for (const auto& thread : program) {
    for (const Op& op : thread) {
      cells = std::max(cells, op.cell + 1);
    }
  }
  return cells;
}

std::function<void()> body_of(Program program) {
  const int cells = cells_of(program);
  return [program = std::move(program), cells] {
    const Memory memory(cells);
    std::vector<std::thread> threads;
    threads.reserve(program.size());
    for (const auto& thread : program) {
      threads.emplace_back([&thread, &memory] {
        int read = 0;
        for (const Op& op : thread) {
          if (!perform(op, memory, read)) {
            return;
          }
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  };
}

}  // namespace overbite::ordering::litmus
