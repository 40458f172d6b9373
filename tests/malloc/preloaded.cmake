# libgcspymalloc.so: exactness against a program that keeps its own list, the pitfalls of interposition, and
# programs whose output must not change.
if(GCSPY_SANITIZE OR NOT TARGET gcspymalloc)
  return() # a sanitizer brings its own malloc
endif()
find_package(Threads REQUIRED)
set(library $<TARGET_FILE:gcspymalloc>)

# Programs of the tests; none is linked with GCspy.
foreach(name mutator pitfalls)
  add_executable(malloc-${name} ${name}.c)
  target_compile_options(malloc-${name} PRIVATE -Wall -Wextra -Wno-unused-result -fno-builtin)
  target_link_libraries(malloc-${name} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
endforeach()

add_executable(test-malloc-exact test_exact.c)
target_link_libraries(test-malloc-exact PRIVATE gcspy-flags gcspy-protocol)
foreach(threads 1 4)
  add_test(NAME malloc.exact_${threads} COMMAND test-malloc-exact ${library}
    $<TARGET_FILE:malloc-mutator> 12 ${threads})
  set_tests_properties(malloc.exact_${threads} PROPERTIES TIMEOUT 120 LABELS malloc)
endforeach()

find_package(Python3 3.9 QUIET COMPONENTS Interpreter)
if(NOT Python3_FOUND)
  message(STATUS "skipped: tests/malloc, no Python 3.9 or later")
  return()
endif()
set(environment "PYTHONDONTWRITEBYTECODE=1" "LIBRARY=${library}" "GCSPY=$<TARGET_FILE:gcspy>"
  "PITFALLS=$<TARGET_FILE:malloc-pitfalls>")
foreach(name pitfalls programs run)
  add_test(NAME malloc.${name} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/test_${name}.py)
  set_tests_properties(malloc.${name} PROPERTIES TIMEOUT 300 LABELS malloc ENVIRONMENT "${environment}")
endforeach()
