# overbite_add_ordering_test(NAME SOURCES file... [LIBRARIES library...] [MODEL sc|rc11|both] [OPTIONS option...]
#                            [ARGS argument...] [BODIES])
# A test NAME that explores every order of the threads of a program. Its main() is the test, unless BODIES is given:
# then the program calls explore() of overbite/ordering.h itself (GoogleTest), and MODEL and OPTIONS do not apply.
# OPTIONS are those of overbite-order run; ARGS go to main(). Only SOURCES are compiled with -fsanitize=thread.
include("${CMAKE_CURRENT_LIST_DIR}/OverbiteTargets.cmake")

function(overbite_add_ordering_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "BODIES" "MODEL" "SOURCES;LIBRARIES;OPTIONS;ARGS")
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "overbite_add_ordering_test(${name}): no SOURCES, or not understood: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_BODIES AND (arg_MODEL OR arg_OPTIONS))
    message(FATAL_ERROR "overbite_add_ordering_test(${name}): with BODIES, explore() is told the MODEL and the OPTIONS")
  endif()
  if(NOT arg_MODEL OR arg_MODEL STREQUAL "both")
    set(arg_MODEL "sc,rc11")
  elseif(NOT arg_MODEL MATCHES "^(sc|rc11)$")
    message(FATAL_ERROR "overbite_add_ordering_test(${name}): MODEL is sc, rc11 or both, not ${arg_MODEL}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  # -O0: the instrumentation runs behind the optimiser. assert() is what tests are made of: also in a release build.
  target_compile_options(${name} PRIVATE -O0 -g -fPIE -fsanitize=thread -UNDEBUG)
  target_link_options(${name} PRIVATE -pie)
  target_link_libraries(${name} PRIVATE ${arg_LIBRARIES} Overbite::ordering)
  if(arg_BODIES)
    add_test(NAME ${name} COMMAND ${name} ${arg_ARGS})
    return()
  endif()
  add_test(NAME ${name} COMMAND Overbite::overbite-order run --model ${arg_MODEL} ${arg_OPTIONS}
    "$<TARGET_FILE:${name}>" -- ${arg_ARGS})
endfunction()
