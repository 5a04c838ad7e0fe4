# overbite_flags: the compile and link options of everything that is ours.
add_library(overbite_flags INTERFACE)
target_include_directories(overbite_flags INTERFACE "${CMAKE_SOURCE_DIR}")
target_compile_options(overbite_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Werror -fvisibility-inlines-hidden -fno-omit-frame-pointer
  # The same object from the same source, wherever the checkout lies: verdicts are cached by hash.
  "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.")
# Lengths for "#" formats of the C API are Py_ssize_t, everywhere.
target_compile_definitions(overbite_flags INTERFACE PY_SSIZE_T_CLEAN)
# The older DT_RPATH would silently beat the search path by which a sabotage variant is loaded.
target_link_options(overbite_flags INTERFACE -Wl,--enable-new-dtags -Wl,--build-id=sha1)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_link_options(overbite_flags INTERFACE -fuse-ld=lld)
  # clang would complain about the variadic-macro form gtest uses
  target_compile_options(overbite_flags INTERFACE -Wno-gnu-zero-variadic-macro-arguments)
endif()
if(OVERBITE_SANITIZE)
  target_compile_options(overbite_flags INTERFACE "-fsanitize=${OVERBITE_SANITIZE}" -fno-sanitize-recover=undefined)
  target_link_options(overbite_flags INTERFACE "-fsanitize=${OVERBITE_SANITIZE}")
endif()
if(OVERBITE_COVERAGE)
  target_compile_options(overbite_flags INTERFACE --coverage)
  target_link_options(overbite_flags INTERFACE --coverage)
endif()
