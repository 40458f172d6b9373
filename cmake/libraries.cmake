# The two libraries for other people's programs, linked from the objects that everything here uses:
# libgcspy (servers, recordings, and the values that both sides share) and libgcspyclient (clients,
# readers of recordings), which needs libgcspy. docs/decisions/009-two-libraries.md has the reasons.
#
# They export the functions that their headers mark with GCS_API, and nothing else.
set(_headers ${PROJECT_SOURCE_DIR}/include/gcspy)
set(_client_headers ${_headers}/client.h ${_headers}/trace.h)
file(GLOB _server_headers CONFIGURE_DEPENDS ${_headers}/*.h)
# The agent exports the functions of sampling.h.
list(REMOVE_ITEM _server_headers ${_client_headers} ${_headers}/sampling.h)
file(GLOB _private_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/protocol/base/*.h
  ${PROJECT_SOURCE_DIR}/protocol/model/*.h)

# The functions that the headers declare behind `mark`.
function(gcspy_functions mark variable)
  set(names)
  foreach(header IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(READ ${header} text)
    string(REGEX MATCHALL "\n${mark} [^(;#]*\\(" found "${text}")
    list(TRANSFORM found REPLACE ".*[ *]([a-z0-9_]+)\\($" "\\1")
    list(APPEND names ${found})
  endforeach()
  set(${variable} ${names} PARENT_SCOPE)
endfunction()

# gcspy_shared(TARGET NAME MAP FUNCTION…): the functions with what they need of the static library.
function(gcspy_shared target name map)
  list(TRANSFORM ARGN PREPEND "LINKER:-u," OUTPUT_VARIABLE roots)
  # Its threads and handlers of fork outlive a dlclose.
  target_link_options(${target} PRIVATE -Wl,-z,defs -Wl,-z,nodelete -Wl,--as-needed
    -Wl,--version-script=${map} ${roots})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR} LINK_DEPENDS ${map} SKIP_BUILD_RPATH ON)
endfunction()

gcspy_functions(GCS_API _server ${_server_headers})
gcspy_functions(GCS_API _client ${_client_headers})
gcspy_functions(SHARED_WITH_CLIENT _private ${_private_headers})
list(JOIN _server ";\n\t\t" _server_lines)
list(JOIN _client ";\n\t\t" _client_lines)
list(JOIN _private ";\n\t\t" _private_lines)
set(_public GCSPY_${PROJECT_VERSION_MAJOR})
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/libgcspy.map @ONLY CONTENT "@_public@ {
	global:
		@_server_lines@;
	local:
		*;
};
GCSPY_PRIVATE_@PROJECT_VERSION@ {
	global:
		@_private_lines@;
};
")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/libgcspyclient.map @ONLY CONTENT "@_public@ {
	global:
		@_client_lines@;
	local:
		*;
};
")

add_library(gcspy-shared SHARED $<TARGET_OBJECTS:gcspy-server>)
target_link_libraries(gcspy-shared PRIVATE gcspy-flags gcspy-protocol)
gcspy_shared(gcspy-shared gcspy ${CMAKE_BINARY_DIR}/libgcspy.map ${_server})

# libgcspy comes before the static library, so that the state is there alone.
add_library(gcspyclient-shared SHARED $<TARGET_OBJECTS:gcspy-client>)
target_link_libraries(gcspyclient-shared PRIVATE gcspy-flags gcspy-shared gcspy-protocol)
gcspy_shared(gcspyclient-shared gcspyclient ${CMAKE_BINARY_DIR}/libgcspyclient.map ${_client})
