// Code addresses in words.
#pragma once

#include <cstdint>
#include <string>

namespace overbite::ordering {

// The exported function around `pc`, demangled, without parameters and template defaults; an
// offset into its file where there is none. What the compiler inlined carries its caller's name.
std::string function_name(const void* pc);

// "a::f(int) const" -> "f" for our own namespaces, without parameters and return type.
std::string shorten_function_name(std::string name);

// Whether `pc` lies in the mapped file whose name ends in `file_name`.
bool is_in_file(const void* pc, const char* file_name);

// Whether an address lies in a mapped file or in its zeroed memory.
bool is_static(const void* address);

// The value at an address that holds `size` (1, 2, 4 or 8) bytes.
std::uint64_t load_value(const void* address, int size);

}  // namespace overbite::ordering
