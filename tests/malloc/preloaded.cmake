# libgcspymalloc.so: exactness against a program that keeps its own list, the pitfalls of interposition, and
# programs whose output must not change.
if(GCSPY_SANITIZE OR NOT TARGET gcspymalloc)
  return() # a sanitizer brings its own malloc
endif()
find_package(Threads REQUIRED)
set(library $<TARGET_FILE:gcspymalloc>)

# Programs of the tests; none is linked with GCspy.
foreach(name arenas descriptors mutator pitfalls)
  add_executable(malloc-${name} ${name}.c)
  target_compile_options(malloc-${name} PRIVATE -Wall -Wextra -Wno-unused-result -fno-builtin)
  target_link_libraries(malloc-${name} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
endforeach()

add_executable(test-malloc-exact test_exact.c)
target_link_libraries(test-malloc-exact PRIVATE gcspy-flags gcspy-protocol)
function(exact name libraries mutator rounds threads headers)
  add_test(NAME malloc.exact_${name} COMMAND test-malloc-exact ${libraries} $<TARGET_FILE:${mutator}> ${rounds}
    ${threads} ${headers})
  set_tests_properties(malloc.exact_${name} PROPERTIES TIMEOUT 300 LABELS malloc)
endfunction()
exact(1 ${library} malloc-mutator 12 1 headers)
exact(4 ${library} malloc-mutator 12 4 headers)
if(TARGET gcspydlmalloc)
  exact(dlmalloc ${library}:$<TARGET_FILE:gcspydlmalloc> malloc-mutator 4 4 headers)
endif()

# Its parts.
if(TARGET gcspy-criterion)
  add_executable(test-malloc-counts test_counts.c)
  target_link_libraries(test-malloc-counts PRIVATE gcspy-flags gcspy-criterion gcspy-malloc-parts)
  add_test(NAME malloc.counts COMMAND test-malloc-counts)
  set_tests_properties(malloc.counts PROPERTIES TIMEOUT 120 LABELS malloc)
endif()

# Other allocators, preloaded behind the library, and in programs that are linked with them.
foreach(file libjemalloc.so.2 libmimalloc.so.2.0 libtcmalloc.so.4)
  string(REGEX REPLACE "lib(.*)\\.so.*" "\\1" name ${file})
  find_library(GCSPY_TEST_${name} NAMES ${file})
  mark_as_advanced(GCSPY_TEST_${name})
  if(NOT GCSPY_TEST_${name})
    add_test(NAME malloc.exact_${name} COMMAND ${CMAKE_COMMAND} -E echo "skipped: ${file} is not installed")
    set_tests_properties(malloc.exact_${name} PROPERTIES LABELS malloc SKIP_REGULAR_EXPRESSION "^skipped")
    continue()
  endif()
  add_executable(malloc-mutator-${name} mutator.c)
  target_compile_options(malloc-mutator-${name} PRIVATE -Wall -Wextra -fno-builtin)
  target_link_libraries(malloc-mutator-${name} PRIVATE Threads::Threads -Wl,--no-as-needed
    ${GCSPY_TEST_${name}})
  exact(${name} ${library}:${GCSPY_TEST_${name}} malloc-mutator 4 4 plain)
  exact(${name}_linked ${library} malloc-mutator-${name} 4 4 plain)
endforeach()

find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "skipped: tests/malloc, no Python 3.9 or later")
  return()
endif()
set(environment "PYTHONDONTWRITEBYTECODE=1" "LIBRARY=${library}" "GCSPY=$<TARGET_FILE:gcspy>"
  "PITFALLS=$<TARGET_FILE:malloc-pitfalls>" "ARENAS=$<TARGET_FILE:malloc-arenas>"
  "DESCRIPTORS=$<TARGET_FILE:malloc-descriptors>")
foreach(name arenas descriptors events matrix pitfalls programs run)
  add_test(NAME malloc.${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/test_${name}.py)
  set_tests_properties(malloc.${name} PROPERTIES TIMEOUT 900 LABELS malloc ENVIRONMENT "${environment}")
endforeach()
