include_guard()

# Python tests are one ctest test a file: overbite_add_pytest(<name> FILE <path> [LABELS ...] [TIMEOUT s])
#
# The server under test is the one of this build; sanitizer builds get three times as long for everything.
if(OVERBITE_SANITIZE)
  set(OVERBITE_SLOW 3)
else()
  set(OVERBITE_SLOW 1)
endif()

function(overbite_add_pytest name)
  cmake_parse_arguments(ARG "SERIAL" "FILE;TIMEOUT" "LABELS" ${ARGN})
  add_test(NAME ${name}
           COMMAND "${OVERBITE_DEPS}/venv/bin/python" -m pytest -q "${ARG_FILE}"
           WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  math(EXPR timeout "${ARG_TIMEOUT} * ${OVERBITE_SLOW}")
  set_tests_properties(${name} PROPERTIES
    LABELS "python;${ARG_LABELS}" TIMEOUT ${timeout} RUN_SERIAL ${ARG_SERIAL}
    ENVIRONMENT "OVERBITE_BIN_DIR=${CMAKE_BINARY_DIR}/bin;OVERBITE_SLOW=${OVERBITE_SLOW};VIRTUAL_ENV=${OVERBITE_DEPS}/venv;PYTHONDONTWRITEBYTECODE=1")
endfunction()
