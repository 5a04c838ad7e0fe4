# overbite_layer(<name> [DEPENDS <layer>...] SOURCES <file>... [LIBRARIES <target>...])
#
# One layer of the server: folder = namespace = target. DEPENDS names every layer whose headers this
# one may include, and no other; scripts/check_repository.py holds the includes against it.
# The layer is an object library (so that a sabotage variant replaces exactly one object at link time)
# and joins liboverbite_server.so.
function(overbite_layer name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;SOURCES;LIBRARIES" ${ARGN})
  add_library(overbite_${name} OBJECT ${ARG_SOURCES})
  target_link_libraries(overbite_${name} PUBLIC overbite_flags ${ARG_LIBRARIES})
  set_property(GLOBAL APPEND PROPERTY OVERBITE_LAYERS overbite_${name})
endfunction()
