# Debian packages by CPack, one for each component (-DGCSPY_DEBIAN=ON, with the prefix /usr); this
# file adds what Debian's policy requires. cmake/packages.sh builds them.
set(GCSPY_MAINTAINER "The GCspy authors <gcspy@localhost>" CACHE STRING
  "Maintainer of the Debian packages: name and address")
set(_debian ${CMAKE_CURRENT_LIST_DIR}/debian)
string(TIMESTAMP _date "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(${_debian}/changelog.in ${CMAKE_BINARY_DIR}/debian/changelog @ONLY)

set(_packages gcspy libgcspy0 libgcspy-dev)
if(GCSPY_VIEW)
  list(APPEND _packages gcspy-view)
endif()
if(TARGET gcspy-serve)
  list(APPEND _packages gcspy-serve)
endif()
foreach(package ${_packages})
  set(_doc ${CMAKE_INSTALL_DATADIR}/doc/${package})
  install(FILES ${_debian}/copyright DESTINATION ${_doc} COMPONENT ${package})
  install(FILES ${CMAKE_BINARY_DIR}/debian/changelog DESTINATION ${_doc} COMPONENT ${package})
  if(EXISTS ${_debian}/${package}.lintian-overrides)
    install(FILES ${_debian}/${package}.lintian-overrides
      DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${package}
      COMPONENT ${package})
  endif()
  # Debian compresses man pages and changelogs, and strips libraries of what no linker needs.
  install(CODE "
    set(root \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
    file(GLOB_RECURSE pages \"\${root}/share/man/*.[17]\" \"\${root}/share/doc/*/changelog\")
    if(pages)
      execute_process(COMMAND gzip -9nf \${pages} COMMAND_ERROR_IS_FATAL ANY)
    endif()
    file(GLOB_RECURSE programs \"\${root}/bin/*\" \"\${root}/lib/*.so\" \"\${root}/lib/*.so.*\")
    foreach(file IN LISTS programs)
      if(IS_SYMLINK \"\${file}\")
        continue()
      endif()
      execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-unneeded --remove-section=.comment
        --remove-section=.note \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)
    endforeach()" COMPONENT ${package})
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_NAME gcspy)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT ${GCSPY_MAINTAINER})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_COMPONENTS_ALL ${_packages})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# dpkg knows nothing of a foreign architecture's libraries: those of Debian 12.
if(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS OFF)
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.35), zlib1g (>= 1:1.2.6)")
endif()
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

set(CPACK_DEBIAN_GCSPY_PACKAGE_NAME gcspy)
set(CPACK_DEBIAN_GCSPY_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_GCSPY_PACKAGE_SUGGESTS "gcspy-view, libunwind8, libdw1")
set(CPACK_COMPONENT_GCSPY_DESCRIPTION "heap visualiser for Java - agent and command line
GCspy shows the heap of a running HotSpot JVM tile by tile at each
collection, and the code that filled it.

This package has the JVMTI agent, and gcspy, which loads it into running
JVMs, records what it sends, and writes reports and figures.")

set(CPACK_DEBIAN_GCSPY-SERVE_PACKAGE_NAME gcspy-serve)
set(CPACK_DEBIAN_GCSPY-SERVE_PACKAGE_SECTION net)
set(CPACK_DEBIAN_GCSPY-SERVE_PACKAGE_DEPENDS "gcspy (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_GCSPY-SERVE_DESCRIPTION "heap visualiser for Java - metrics and profiles by HTTP
GCspy shows the heap of a running HotSpot JVM tile by tile at each
collection, and the code that filled it.

This package has what gcspy serve and gcspy push execute: a program that
follows all JVMs of a machine, for Prometheus, OpenTelemetry and for what reads
profiles in pprof's format.")

set(CPACK_DEBIAN_GCSPY-VIEW_PACKAGE_NAME gcspy-view)
set(CPACK_DEBIAN_GCSPY-VIEW_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_GCSPY-VIEW_PACKAGE_RECOMMENDS "gcspy, fonts-dejavu-core")
set(CPACK_COMPONENT_GCSPY-VIEW_DESCRIPTION "heap visualiser for Java - window
GCspy shows the heap of a running HotSpot JVM tile by tile at each
collection, and the code that filled it.

This package has the window that shows a JVM's heap live, or a recording,
and gcspy-train, a heap with a Train collector to learn from.")

set(CPACK_DEBIAN_LIBGCSPY0_PACKAGE_NAME libgcspy0)
set(CPACK_DEBIAN_LIBGCSPY0_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_LIBGCSPY0_PACKAGE_CONTROL_EXTRA ${_debian}/triggers)
# libgcspyclient needs libgcspy of the same package.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_COMPONENT_LIBGCSPY0_DESCRIPTION "heap visualiser - libraries for servers and clients
GCspy shows the heaps of memory managers tile by tile.

This package has the libraries of programs that show their memory by GCspy
(libgcspy), or read servers and recordings of GCspy (libgcspyclient).")

set(CPACK_DEBIAN_LIBGCSPY-DEV_PACKAGE_NAME libgcspy-dev)
set(CPACK_DEBIAN_LIBGCSPY-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBGCSPY-DEV_PACKAGE_DEPENDS "libgcspy0 (= ${PROJECT_VERSION}), libc6-dev")
set(CPACK_DEBIAN_LIBGCSPY-DEV_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_LIBGCSPY-DEV_DESCRIPTION "heap visualiser - headers for servers and clients
GCspy shows the heaps of memory managers tile by tile.

This package has the headers for programs that show their memory by GCspy,
or read servers and recordings of GCspy.")
include(CPack)
