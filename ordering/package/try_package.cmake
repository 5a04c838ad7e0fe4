# Installs the explorer into the build directory, and builds and runs the example against what was installed only.
set(prefix "${build}/package/prefix")
set(example "${build}/package/example")
file(REMOVE_RECURSE "${build}/package")
set(choices -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_C_COMPILER=${c_compiler} -DCMAKE_CXX_COMPILER=${compiler})
foreach(step IN ITEMS
    "${CMAKE_COMMAND};--install;${build};--component;ordering;--prefix;${prefix}"
    "${CMAKE_COMMAND};-S;${CMAKE_CURRENT_LIST_DIR}/example;-B;${example};-G;${generator};${choices}"
    "${CMAKE_COMMAND};--build;${example}"
    "${CMAKE_CTEST_COMMAND};--test-dir;${example};--no-tests=error;--output-on-failure")
  execute_process(COMMAND ${step} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${step}: ${status}\n${out}")
  endif()
endforeach()
