// What a program that is explored keeps outside its stacks and its heap: global, static and
// thread-local variables. They are put back before each execution, whoever wrote to them.
//
// The program is a shared object that was loaded into this process, with the libraries it brought.
// The system's libraries are not part of it: what libc keeps for itself stays.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ordering/runtime/vector_clock.h"

namespace overbite::ordering {

class ProcessImage {
 public:
  static ProcessImage& shared();

  // Before the program is loaded: nothing that is there now belongs to it.
  void begin();
  // Behind it, constructors included: what has come since is the program, as it is now. The paths
  // of those of its modules that were not compiled with -fsanitize=thread.
  std::vector<std::string> add_loaded();
  // The program is as it was in add_loaded(); thread-local variables are those of new threads.
  void restore();

  // "counter", "table+16": the global variable of the program that is there; empty: none.
  std::string variable_at(const void* address) const;
  // The code of the program, its libraries included.
  bool owns_code(const void* pc) const;
  // A thread-local variable of the program, for a model thread: null: not the program's.
  void* thread_local_at(std::size_t module, std::size_t offset, ThreadId thread);

 private:
  void add_thread_locals(const dl_phdr_info& module);
  void add_segments(const dl_phdr_info& module);

  struct Range {
    std::byte* start;
    std::vector<std::byte> bytes;  // as they were
  };
  struct Code {
    std::uintptr_t begin;
    std::uintptr_t end;
  };
  struct Variable {
    std::uintptr_t address;
    std::size_t bytes;
    std::string name;
  };
  // The thread-local block of one module, as a new thread gets it.
  struct Template {
    std::size_t module;
    std::vector<std::byte> bytes;
    std::size_t alignment;
  };
  struct Block {
    std::size_t module;
    std::uint64_t execution;
    std::vector<std::byte> memory;
    std::byte* start;
  };

  std::vector<std::uintptr_t> others_;
  std::vector<Range> ranges_;
  std::vector<Variable> variables_;
  std::vector<Code> code_;
  std::vector<Template> templates_;
  std::vector<Block> blocks_[kThreadsMax];
  std::uint64_t execution_ = 0;
};

}  // namespace overbite::ordering
