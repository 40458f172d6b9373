# What `cmake --install` installs, in five components: gcspy (the agent and the command line),
# gcspy-serve, gcspy-view, libgcspy0, libgcspy-dev. No installed file but systemd's unit contains the prefix, so it
# can be moved.
if(GCSPY_SANITIZE OR GCSPY_FUZZ)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_subdirectory(docs/generate)

# The agent's path is the same in every prefix, whatever its library folder:
# `gcspy attach` and gcspy-view find it from their own folder.
set(GCSPY_AGENT_DIR lib/gcspy)
set(GCSPY_BASH_DIR ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
option(GCSPY_DEBIAN "Make Debian packages: cmake/debian.cmake" OFF)
set(GCSPY_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
if(GCSPY_DEBIAN)
  set(GCSPY_ZSH_DIR ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
endif()
set(_pages ${CMAKE_BINARY_DIR}/pages)

install(TARGETS gcspy RUNTIME COMPONENT gcspy)
if(GCSPY_AGENT)
  install(TARGETS gcspyagent LIBRARY DESTINATION ${GCSPY_AGENT_DIR} COMPONENT gcspy)
endif()
# Beside the agent, for the same reason.
install(TARGETS gcspymalloc LIBRARY DESTINATION ${GCSPY_AGENT_DIR} COMPONENT gcspy)
install(FILES ${_pages}/agent/gcspyagent.7 DESTINATION ${CMAKE_INSTALL_MANDIR}/man7
  COMPONENT gcspy)
# The pages of `gcspy serve` and `gcspy push` are those of the program which they execute.
install(DIRECTORY ${_pages}/gcspy/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT gcspy
  FILES_MATCHING PATTERN "*.1" PATTERN gcspy-serve.1 EXCLUDE PATTERN gcspy-push.1 EXCLUDE)
if(TARGET gcspy-serve)
  install(TARGETS gcspy-serve RUNTIME COMPONENT gcspy-serve)
  install(FILES ${_pages}/gcspy/gcspy-serve.1 ${_pages}/gcspy/gcspy-push.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMPONENT gcspy-serve)
  set(_deploy ${PROJECT_SOURCE_DIR}/protocol/serve/deploy)
  install(FILES ${_deploy}/gcspy.rules.yml ${_deploy}/gcspy-dashboard.json
    ${_deploy}/kubernetes-daemonset.yaml ${_deploy}/kubernetes-sidecar.yaml
    DESTINATION ${CMAKE_INSTALL_DATADIR}/gcspy-serve COMPONENT gcspy-serve)
  install(FILES ${_deploy}/gcspy-serve.service DESTINATION lib/systemd/system
    COMPONENT gcspy-serve)
  # systemd wants full paths. Packages keep /usr: theirs are installed elsewhere first.
  if(NOT GCSPY_DEBIAN)
    install(CODE "
      get_filename_component(prefix \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
      set(unit \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/systemd/system/gcspy-serve.service\")
      file(READ \"\${unit}\" text)
      string(REPLACE /usr/ \"\${prefix}/\" text \"\${text}\")
      file(WRITE \"\${unit}\" \"\${text}\")" COMPONENT gcspy-serve)
  endif()
endif()
install(FILES ${_pages}/gcspy/gcspy.bash DESTINATION ${GCSPY_BASH_DIR} RENAME gcspy
  COMPONENT gcspy)
install(FILES ${_pages}/gcspy/_gcspy DESTINATION ${GCSPY_ZSH_DIR} COMPONENT gcspy)
file(GLOB _documents CONFIGURE_DEPENDS docs/*.md)
list(FILTER _documents EXCLUDE REGEX "CONTRIBUTING|CHANGELOG|architecture|testing|requirements")
install(FILES ${_documents} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gcspy COMPONENT gcspy)
install(DIRECTORY docs/howto docs/decisions DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gcspy
  COMPONENT gcspy)
# The pictures of these pages; the README's are larger.
file(GLOB _pictures CONFIGURE_DEPENDS docs/images/*.png)
list(FILTER _pictures EXCLUDE REGEX "/(tour|flame|g1|history-graph)\\.png$")
install(FILES ${_pictures} DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gcspy/images COMPONENT gcspy)

if(GCSPY_VIEW)
  set(_desktop ${PROJECT_SOURCE_DIR}/client-sdl/desktop)
  install(TARGETS gcspy-view RUNTIME COMPONENT gcspy-view)
  install(FILES docs/leak.gcspy DESTINATION ${CMAKE_INSTALL_DATADIR}/gcspy
    COMPONENT gcspy-view)
  install(FILES ${_pages}/view/gcspy-view.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMPONENT gcspy-view)
  install(FILES ${_pages}/view/gcspy-view.bash DESTINATION ${GCSPY_BASH_DIR} RENAME gcspy-view
    COMPONENT gcspy-view)
  install(FILES ${_pages}/view/_gcspy-view DESTINATION ${GCSPY_ZSH_DIR} COMPONENT gcspy-view)
  install(FILES ${_desktop}/gcspy-view.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications
    COMPONENT gcspy-view)
  install(FILES ${_desktop}/gcspy-view.svg
    DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT gcspy-view)
  install(FILES ${_desktop}/gcspy.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/mime/packages
    COMPONENT gcspy-view)
endif()

# Its figures are drawn by the visualiser, so it is in the visualiser's component.
if(GCSPY_VIEW AND TARGET gcspy-train)
  set_target_properties(gcspy-train PROPERTIES EXCLUDE_FROM_ALL OFF)
  install(TARGETS gcspy-train RUNTIME COMPONENT gcspy-view)
  install(FILES ${_pages}/train/gcspy-train.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMPONENT gcspy-view)
  install(FILES ${_pages}/train/gcspy-train.bash DESTINATION ${GCSPY_BASH_DIR} RENAME gcspy-train
    COMPONENT gcspy-view)
  install(FILES ${_pages}/train/_gcspy-train DESTINATION ${GCSPY_ZSH_DIR} COMPONENT gcspy-view)
endif()

# The libraries for other people's programs, with the public headers.
include(${CMAKE_CURRENT_LIST_DIR}/libraries.cmake)
install(TARGETS gcspy-shared gcspyclient-shared LIBRARY COMPONENT libgcspy0
  NAMELINK_COMPONENT libgcspy-dev)
install(DIRECTORY include/gcspy DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libgcspy-dev)
install(FILES ${CMAKE_BINARY_DIR}/pages/api/reference.html
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libgcspy-dev COMPONENT libgcspy-dev)
set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/gcspy)
configure_package_config_file(cmake/gcspyConfig.cmake.in ${CMAKE_BINARY_DIR}/gcspyConfig.cmake
  INSTALL_DESTINATION ${_package} PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/gcspyConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/gcspyConfig.cmake ${CMAKE_BINARY_DIR}/gcspyConfigVersion.cmake
  DESTINATION ${_package} COMPONENT libgcspy-dev)
file(RELATIVE_PATH _up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" _up "${_up}")
foreach(_name gcspy gcspyclient)
  configure_file(cmake/${_name}.pc.in ${CMAKE_BINARY_DIR}/${_name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT libgcspy-dev)
endforeach()

if(GCSPY_DEBIAN)
  include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
else()
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gcspy COMPONENT gcspy)
endif()
