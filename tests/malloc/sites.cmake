# Call sites of libgcspymalloc.so.
if(GCSPY_SANITIZE OR NOT TARGET gcspymalloc OR NOT Python3_FOUND)
  return() # a sanitizer brings its own malloc
endif()

# The program has no frame pointers, whatever the compiler's default.
add_executable(malloc-sites-program sites_program.c)
target_compile_options(malloc-sites-program PRIVATE -O2 -g -fomit-frame-pointer
  -fno-optimize-sibling-calls -fno-builtin -Wall -Wextra)
target_link_libraries(malloc-sites-program PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
add_library(malloc-sites-plugin MODULE sites_plugin.c)
target_compile_options(malloc-sites-plugin PRIVATE -O2 -g -fno-optimize-sibling-calls)
set(environment "PYTHONDONTWRITEBYTECODE=1" "GCSPY=$<TARGET_FILE:gcspy>"
  "PROGRAM=$<TARGET_FILE:malloc-sites-program>" "PLUGIN=$<TARGET_FILE:malloc-sites-plugin>")
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  add_executable(malloc-sites-cxx sites_program.cc)
  target_compile_options(malloc-sites-cxx PRIVATE -O2 -g -fno-optimize-sibling-calls)
  list(APPEND environment "CXX_PROGRAM=$<TARGET_FILE:malloc-sites-cxx>")
  add_executable(malloc-operators operators.cc)
  target_compile_options(malloc-operators PRIVATE -O1 -g -Wall -Wextra -fno-builtin)
  target_compile_features(malloc-operators PRIVATE cxx_std_17)
  add_test(NAME malloc.operators COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/test_operators.py)
  set_tests_properties(malloc.operators PROPERTIES TIMEOUT 300 LABELS malloc ENVIRONMENT
    "PYTHONDONTWRITEBYTECODE=1;LIBRARY=$<TARGET_FILE:gcspymalloc>;GCSPY=$<TARGET_FILE:gcspy>;OPERATORS=$<TARGET_FILE:malloc-operators>")
endif()
add_test(NAME malloc.sites COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/test_sites.py)
set_tests_properties(malloc.sites PROPERTIES TIMEOUT 300 LABELS malloc ENVIRONMENT "${environment}")
