// A hash table from addresses to small values that is emptied in no time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace overbite::ordering {

// Open addressing; an entry counts only while it carries the current epoch. Grows, never shrinks.
template <typename Value>
class EpochMap {
 public:
  EpochMap() : entries_(1024) {}

  void clear() {
    ++epoch_;
    live_ = 0;
  }

  // Null when absent. Valid until the next insertion.
  Value* find(std::uintptr_t key) {
    for (std::size_t i = slot_of(key);; i = (i + 1) & (entries_.size() - 1)) {
      Entry& entry = entries_[i];
      if (entry.epoch != epoch_) {
        return nullptr;
      }
      if (entry.key == key) {
        return &entry.value;
      }
    }
  }

  // The value of `key`, a new default one if there was none. Valid until the next insertion.
  Value& operator[](std::uintptr_t key) {
    if ((live_ + 1) * 2 > entries_.size()) {
      grow();
    }
    std::size_t i = slot_of(key);
    while (entries_[i].epoch == epoch_ && entries_[i].key != key) {
      i = (i + 1) & (entries_.size() - 1);
    }
    Entry& entry = entries_[i];
    if (entry.epoch != epoch_) {
      entry = {epoch_, key, Value{}};
      ++live_;
    }
    return entry.value;
  }

 private:
  struct Entry {
    std::uint64_t epoch = 0;
    std::uintptr_t key = 0;
    Value value{};
  };

  std::size_t slot_of(std::uintptr_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 20) & (entries_.size() - 1);
  }

  void grow() {
    std::vector<Entry> old(entries_.size() * 2);
    old.swap(entries_);
    for (Entry& entry : old) {
      if (entry.epoch == epoch_) {
        std::size_t i = slot_of(entry.key);
        while (entries_[i].epoch == epoch_) {
          i = (i + 1) & (entries_.size() - 1);
        }
        entries_[i] = std::move(entry);
      }
    }
  }

  std::vector<Entry> entries_;
  std::uint64_t epoch_ = 1;
  std::size_t live_ = 0;
};

}  // namespace overbite::ordering
