# Python tests:
#   overbite_add_pytest(<name> FILE <path> [SELECT <pytest -k>] TIMEOUT <s> [LABELS <label>...] [SERIAL])
#
# One ctest test a file, or a part of it; the server under test is the one of this build. Sanitizer builds get three
# times as long for everything.
include_guard()

function(overbite_add_pytest name)
  cmake_parse_arguments(ARG "SERIAL" "FILE;SELECT;TIMEOUT" "LABELS" ${ARGN})
  set(select)
  if(ARG_SELECT)
    set(select -k "${ARG_SELECT}")
  endif()
  set(slow 1)
  if(OVERBITE_SANITIZE)
    set(slow 3)
  endif()
  math(EXPR timeout "${ARG_TIMEOUT} * ${slow}")
  add_test(NAME ${name}
           COMMAND "${OVERBITE_DEPS}/venv/bin/python" -m pytest -q ${select} "${ARG_FILE}"
           WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  set(environment "OVERBITE_BIN_DIR=${CMAKE_BINARY_DIR}/bin" "VIRTUAL_ENV=${OVERBITE_DEPS}/venv"
                  "OVERBITE_SLOW=${slow}" "PYTHONDONTWRITEBYTECODE=1")
  set_tests_properties(${name} PROPERTIES
    LABELS "python;${ARG_LABELS}" TIMEOUT ${timeout} RUN_SERIAL ${ARG_SERIAL}
    ENVIRONMENT "${environment}")
endfunction()
