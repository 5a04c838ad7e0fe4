# Everything the tree uses but does not contain. scripts/bootstrap installs all of it.
find_package(Threads REQUIRED)
find_package(Python3 3.11 REQUIRED COMPONENTS Interpreter Development.Embed)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(pugixml REQUIRED)
if(OVERBITE_TESTS OR OVERBITE_ORDERING)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()

# llhttp, and the URL parser httptools ships beside it: the system's llhttp where there is one, else the
# pinned, hash-checked source distribution that scripts/bootstrap unpacked.
set(httptools_vendor "${OVERBITE_DEPS}/httptools/vendor")
if(NOT EXISTS "${httptools_vendor}/http-parser/http_parser.c")
  message(FATAL_ERROR "no ${httptools_vendor}: run scripts/bootstrap first")
endif()
add_library(llhttp OBJECT "${httptools_vendor}/llhttp/src/api.c" "${httptools_vendor}/llhttp/src/http.c"
                          "${httptools_vendor}/llhttp/src/llhttp.c")
target_include_directories(llhttp SYSTEM PUBLIC "${httptools_vendor}/llhttp/include")
target_compile_options(llhttp PRIVATE -O2)
add_library(http_parser_url OBJECT "${httptools_vendor}/http-parser/http_parser.c")
target_include_directories(http_parser_url SYSTEM PUBLIC "${httptools_vendor}/http-parser")
target_compile_options(http_parser_url PRIVATE -O2 -w)
