# Builds for Linux on aarch64 with Debian's cross compiler, against the file tree of Debian's packages
# for arm64 in the folder GCSPY_SYSROOT (tests/aarch64/roots.sh makes one).
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GCSPY_SYSROOT)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_SYSROOT ${GCSPY_SYSROOT})
# Programs that are built to be run by the build write the man pages.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static;-L;${GCSPY_SYSROOT})
set(CMAKE_FIND_ROOT_PATH ${GCSPY_SYSROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(ENV{PKG_CONFIG_DIR} "")
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${GCSPY_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${GCSPY_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${GCSPY_SYSROOT}/usr/share/pkgconfig)
