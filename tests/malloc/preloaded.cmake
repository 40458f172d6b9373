# libgcspymalloc.so: exactness against a program that keeps its own list.
if(GCSPY_SANITIZE OR NOT TARGET gcspymalloc)
  return() # a sanitizer brings its own malloc
endif()
find_package(Threads REQUIRED)
set(library $<TARGET_FILE:gcspymalloc>)

# Programs of the tests; none is linked with GCspy.
foreach(name mutator)
  add_executable(malloc-${name} ${name}.c)
  target_compile_options(malloc-${name} PRIVATE -Wall -Wextra -Wno-unused-result -fno-builtin)
  target_link_libraries(malloc-${name} PRIVATE Threads::Threads)
endforeach()

add_executable(test-malloc-exact test_exact.c)
target_link_libraries(test-malloc-exact PRIVATE gcspy-flags gcspy-protocol)
foreach(threads 1 4)
  add_test(NAME malloc.exact_${threads} COMMAND test-malloc-exact ${library}
    $<TARGET_FILE:malloc-mutator> 12 ${threads})
  set_tests_properties(malloc.exact_${threads} PROPERTIES TIMEOUT 120 LABELS malloc)
endforeach()
