# dlmalloc (servers/malloc/dlmalloc): the allocator under programs, what the table says, and what the server shows of it.
if(NOT TARGET gcspydlmalloc)
  add_test(NAME malloc.dlmalloc COMMAND ${CMAKE_COMMAND} -E echo "skipped: libgcspydlmalloc.so is not built here")
  set_tests_properties(malloc.dlmalloc PROPERTIES LABELS malloc SKIP_REGULAR_EXPRESSION "^skipped")
  return()
endif()

find_program(BASH bash)
mark_as_advanced(BASH)

add_library(test-dlmalloc_exit MODULE test_dlmalloc_exit.c)
target_link_libraries(test-dlmalloc_exit PRIVATE gcspy-flags ${CMAKE_DL_LIBS})

foreach(name bins walk names)
  add_executable(test-dlmalloc_${name} test_dlmalloc_${name}.c)
  target_compile_definitions(test-dlmalloc_${name} PRIVATE _GNU_SOURCE)
  target_link_libraries(test-dlmalloc_${name} PRIVATE gcspy-flags Threads::Threads ${CMAKE_DL_LIBS})
  add_test(NAME malloc.dlmalloc_${name} COMMAND test-dlmalloc_${name})
  set_tests_properties(malloc.dlmalloc_${name} PROPERTIES LABELS malloc TIMEOUT 300
    ENVIRONMENT "LD_PRELOAD=$<TARGET_FILE:gcspydlmalloc>")
endforeach()
foreach(target test-dlmalloc_exit test-dlmalloc_bins test-dlmalloc_walk test-dlmalloc_names)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/servers/malloc/dlmalloc)
endforeach()
target_compile_definitions(test-dlmalloc_exit PRIVATE _GNU_SOURCE)

add_test(NAME malloc.dlmalloc_programs COMMAND ${BASH} ${CMAKE_CURRENT_SOURCE_DIR}/test_dlmalloc_programs.sh
  $<TARGET_FILE:gcspydlmalloc> $<TARGET_FILE:test-dlmalloc_exit> $<TARGET_FILE:gcspymalloc>)
set_tests_properties(malloc.dlmalloc_programs PROPERTIES LABELS malloc TIMEOUT 600)

# What clients see of it, and triggers.
set(both $<TARGET_FILE:gcspymalloc>:$<TARGET_FILE:gcspydlmalloc>)
foreach(name quiet gap)
  add_executable(test-dlmalloc_${name} test_dlmalloc_${name}.c)
  target_compile_definitions(test-dlmalloc_${name} PRIVATE _GNU_SOURCE)
  target_include_directories(test-dlmalloc_${name} PRIVATE ${PROJECT_SOURCE_DIR}/servers/malloc/dlmalloc)
  target_link_libraries(test-dlmalloc_${name} PRIVATE gcspy-flags ${CMAKE_DL_LIBS})
endforeach()
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  add_test(NAME malloc.dlmalloc_spaces COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/test_dlmalloc_spaces.py
    ${both} $<TARGET_FILE:test-dlmalloc_quiet> $<TARGET_FILE:gcspy>)
  set_tests_properties(malloc.dlmalloc_spaces PROPERTIES LABELS malloc TIMEOUT 600)
endif()
add_test(NAME malloc.dlmalloc_trigger COMMAND ${BASH} ${CMAKE_CURRENT_SOURCE_DIR}/test_dlmalloc_trigger.sh
  ${both} $<TARGET_FILE:gcspy-dlmalloc-coalescing> $<TARGET_FILE:test-dlmalloc_gap>
  $<TARGET_FILE:gcspy>)
set_tests_properties(malloc.dlmalloc_trigger PROPERTIES LABELS malloc TIMEOUT 600)
if(NOT GCSPY_SANITIZE)
  add_test(NAME malloc.dlmalloc_standalone COMMAND ${BASH} ${CMAKE_CURRENT_SOURCE_DIR}/test_dlmalloc_standalone.sh
    ${CMAKE_BINARY_DIR} ${PROJECT_SOURCE_DIR})
  set_tests_properties(malloc.dlmalloc_standalone PROPERTIES LABELS malloc TIMEOUT 600)
endif()
