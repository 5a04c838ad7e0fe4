// One thread n times, and larger programs without waiting.
#include <array>
#include <atomic>
#include <thread>

#include "ordering/litmus/published.h"
#include "ordering/scenario.h"
#include "ordering/tests/model.h"

namespace overbite::ordering::litmus {
namespace {

std::uint64_t factorial(std::uint64_t n) { return n <= 1 ? 1 : n * factorial(n - 1); }

// `n` threads; "#" in the words is the number of the thread, from 1.
std::string times(int n, const std::string& words) {
  std::string all;
  for (int i = 1; i <= n; ++i) {
    all += all.empty() ? "" : " | ";
    for (const char c : words) {
      all += c == '#' ? std::to_string(i) : std::string(1, c);
    }
  }
  return all;
}

void add(std::vector<Published>& all,
         const std::string& name,
         int n,
         std::uint64_t sc,
         std::uint64_t rc11,
         const std::string& words) {
  all.push_back({name + " N=" + std::to_string(n), sc, rc11, words, {}});
}

void add_increments(std::vector<Published>& all) {
  for (int n = 2; n <= 7; ++n) {
    const std::uint64_t orders = factorial(static_cast<std::uint64_t>(n));
    add(all, "synthetic/ainc", n, orders, orders, times(n, "Ax+1"));
    if (n <= 4) {
      add(all, "synthetic/binc", n, orders * orders, orders * orders, times(n, "Ax+1 Ay+1"));
      add(all,
          "synthetic/cinc",
          n,
          orders * orders * orders,
          orders * orders * orders,
          times(n, "Ax+1 Ay+1 Az+1"));
      add(all, "synthetic/inc", n, orders * orders, orders * orders, times(n, "Rx Wx=r+#.rel"));
      add(all, "synthetic/rw", n, orders * orders, orders * orders, times(n, "Rx Wx=#.rel"));
      add(all,
          "synthetic/wainc",
          n,
          orders * (static_cast<std::uint64_t>(n) + 1),
          orders * (static_cast<std::uint64_t>(n) + 1),
          times(n, "Ax+1") + " | Wx=42.rel");
    }
  }
}

void add_compare_exchanges(std::vector<Published>& all) {
  constexpr std::array<std::uint64_t, 6> kThenWrite = {0, 0, 6, 66, 1200, 32880};
  constexpr std::array<std::uint64_t, 8> kInTurn = {0, 0, 2, 5, 14, 43, 144, 523};
  constexpr std::array<std::uint64_t, 7> kOneWriter = {0, 0, 5, 13, 33, 81, 193};
  for (int n = 2; n <= 7; ++n) {
    const auto i = static_cast<std::size_t>(n);
    if (n <= 5) {
      add(all, "synthetic/cas", n, i, i, times(n, "Cx:0>#"));
      add(all, "synthetic/casw", n, kThenWrite[i], kThenWrite[i], times(n, "Cx:0>1 Wx=3#.rel"));
    }
    std::string in_turn;
    for (int k = 1; k <= n; ++k) {
      in_turn += (k == 1 ? "Cx:" : " | Cx:") + std::to_string(k - 1) + ">" + std::to_string(k);
    }
    add(all, "synthetic/casrot", n, kInTurn[i], kInTurn[i], in_turn);
    if (i < kOneWriter.size()) {
      add(all,
          "synthetic/wcas",
          n,
          kOneWriter[i],
          kOneWriter[i],
          times(n, "Cx:2>3") + " | Wx=2.rel");
    }
  }
}

void add_readers_and_writers(std::vector<Published>& all) {
  for (const int n : {2, 8, 13}) {
    add(all, "synthetic/readers", n, 1u << n, 1u << n, times(n, "Rx.acq") + " | Wx=42.rel");
  }
  add(all, "synthetic/N-writers", 4, 720, 720, times(5, "Wx=#.rel") + " | Rx.acq");
  add(all, "litmus/wrw", 2, 22, 22, "Wx=1.rel | " + times(2, "Rx Wx=#.rel"));
  add(all, "litmus/wrw", 3, 300, 300, "Wx=1.rel | " + times(3, "Rx Wx=#.rel"));
  add(all, "litmus/wrw", 4, 6576, 6576, "Wx=1.rel | " + times(4, "Rx Wx=#.rel"));
  constexpr std::array<std::uint64_t, 5> kSc = {0, 4, 15, 130, 2028};
  constexpr std::array<std::uint64_t, 5> kRc11 = {0, 4, 16, 144, 2304};
  for (int n = 1; n <= 4; ++n) {
    const auto i = static_cast<std::size_t>(n);
    const std::string writers = times(n - 1, "Wy=#.rel Wz=#.rel");
    add(all,
        "synthetic/CoA",
        n,
        kSc[i],
        kRc11[i],
        "Wx=1.rel Ry.acq Rx.acq | Wx=2.rel Rz.acq Rx.acq" + (n > 1 ? " | " + writers : ""));
  }
  const std::string spins = [] {
    std::string words;
    for (int i = 0; i < 10; ++i) {
      words += "Wy=" + std::to_string(i) + ".sc Ry.sc ";
    }
    return words;
  }();
  std::string other = spins;
  for (char& c : other) {
    c = c == 'y' ? 'z' : c;
  }
  add(all, "synthetic/par_length", 10, 4, 4, spins + "Wx=1.sc Rx.sc | " + other + "Wx=2.sc Rx.sc");
  all.push_back({"synthetic/big0",
                 69112,
                 82472,
                 "Rx.acq Ry.acq Rz.acq Rw.acq Rx.acq Ry.acq Rz.acq | Rx.acq Ry.acq Rz.acq | "
                 "Wx=1.rel Wy=1.rel Wx=2.rel Wy=2.rel Wx=3.rel Wy=3.rel | "
                 "Wz=1.rel Ww=1.rel Wz=2.rel Ww=2.rel Wz=3.rel Ww=3.rel",
                 {}});
}

constexpr auto kAcq = std::memory_order_acquire;
constexpr auto kRel = std::memory_order_release;
constexpr auto kRlx = std::memory_order_relaxed;

// Each thread but the first writes one more than its neighbour's cell; the first looks for the
// last zero.
Body last_zero(int n) {
  return [n] {
    const Cells x(static_cast<std::size_t>(n) + 1);
    std::vector<Body> bodies;
    bodies.push_back([&x, n] {
      for (auto i = static_cast<std::size_t>(n); x[i].load(kAcq) != 0; --i) {
      }
    });
    for (std::size_t i = 1; i <= static_cast<std::size_t>(n); ++i) {
      bodies.push_back([&x, i] { x[i].store(x[i - 1].load(kAcq) + 1, kRel); });
    }
    in_parallel(bodies);
  };
}

// Threads put four numbers each into one hash table.
Body indexer(int threads) {
  return [threads] {
    constexpr int kCells = 128;
    constexpr int kEach = 4;
    const Cells table(kCells);
    std::vector<Body> bodies;
    for (int thread = 0; thread < threads; ++thread) {
      bodies.push_back([&table, thread] {
        for (int i = 0; i < kEach; ++i) {
          const int word = i * 11 + thread;
          int at = word * 7 % kCells;
          int empty = 0;
          while (!table[static_cast<std::size_t>(at)].compare_exchange_strong(
              empty, word, kRlx, kRlx)) {
            at = (at + 1) % kCells;
            empty = 0;
          }
        }
      });
    }
    in_parallel(bodies);
  };
}

// Two threads add up two cells in turns, a third looks at both.
Body fibonacci(int rounds) {
  return [rounds] {
    const Cells x(2);
    x[0].store(1, kRlx);
    x[1].store(1, kRlx);
    const auto add_up = [&x, rounds](std::size_t into) {
      for (int i = 0; i < rounds; ++i) {
        const int first = x[0].load(kAcq);
        const int second = x[1].load(kAcq);
        x[into].store(first + second, kRel);
      }
    };
    in_parallel({[&] { add_up(0); },
                 [&] { add_up(1); },
                 [&x] {
                   constexpr int kMost = 144;
                   require(x[0].load(kAcq) <= kMost && x[1].load(kAcq) <= kMost, "too large");
                 }});
  };
}

// Two threads strike out multiples.
Body sieve(int numbers) {
  return [numbers] {
    const Cells struck(static_cast<std::size_t>(numbers));
    const Body one = [&struck, numbers] {
      for (int i = 0; i < numbers; ++i) {
        if (struck[static_cast<std::size_t>(i)].load(kAcq) != 0) {
          continue;
        }
        struck[static_cast<std::size_t>(i)].store(1, kRel);
        for (int j = 2 * i + 2; j < numbers; j += i + 2) {
          struck[static_cast<std::size_t>(j)].store(2, kRel);
        }
      }
    };
    in_parallel({one, one});
  };
}

}  // namespace

std::vector<Published> published_sizes() {
  std::vector<Published> all;
  add_increments(all);
  add_compare_exchanges(all);
  add_readers_and_writers(all);
  all.push_back({"synthetic/lastzero N=5", 64, 64, "", last_zero(5)});
  all.push_back({"synthetic/lastzero N=10", 3328, 3328, "", last_zero(10)});
  all.push_back({"synthetic/indexer N=12", 8, 8, "", indexer(12)});
  all.push_back({"synthetic/eratosthenes N=5", 398, 1512, "", sieve(5)});
  return all;
}

std::vector<Published> published_slow() {
  return {
      {"synthetic/fib_bench", 218243, 525630, "", fibonacci(5)},
      {"synthetic/lastzero N=15", 147456, 147456, "", last_zero(15)},
      {"synthetic/indexer N=15", 4096, 4096, "", indexer(15)},
      {"synthetic/big1",
       1820474,
       2950753,
       "Rx.acq Ry.acq Rz.acq Rw.acq Rx.acq Ry.acq Rz.acq Rw.acq | "
       "Rx.acq Ry.acq Rz.acq Rw.acq Rx.acq Ry.acq | "
       "Wx=1.rel Wy=1.rel Wx=2.rel Wy=2.rel Wx=3.rel Wy=3.rel | "
       "Wz=1.rel Ww=1.rel Wz=2.rel Ww=2.rel Wz=3.rel Ww=3.rel",
       {}},
  };
}

std::vector<Published> published() {
  std::vector<Published> all = published_shapes();
  for (const auto& some :
       {published_chains(), published_data(), published_sizes(), published_mutexes()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

}  // namespace overbite::ordering::litmus
