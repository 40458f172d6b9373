# Builds against the C library and zlib in the folder GCSPY_SYSROOT; the rest comes from this system.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GCSPY_SYSROOT)
set(CMAKE_SYSROOT ${GCSPY_SYSROOT})
# Before this system's library folders, which Debian's gcc searches with any sysroot.
set(_libraries ${GCSPY_SYSROOT}/usr/lib/x86_64-linux-gnu)
foreach(kind EXE SHARED MODULE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT
    "-B${_libraries} -L${_libraries} -L${GCSPY_SYSROOT}/lib/x86_64-linux-gnu")
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
