# Git revision and build description, compiled in so that every manifest can name them; refreshed at each build.
file(WRITE ${CMAKE_BINARY_DIR}/generated/write_revision.cmake [=[
execute_process(COMMAND git describe --always --dirty --abbrev=12 WORKING_DIRECTORY ${SOURCE}
  OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT revision)
  set(revision "unknown")
endif()
set(text "#define SPECLAB_VERSION \"${VERSION}\"\n#define SPECLAB_REVISION \"${revision}\"\n#define SPECLAB_BUILD_TYPE \"${BUILD_TYPE}\"\n#define SPECLAB_COMPILER \"${COMPILER}\"\n#define SPECLAB_FLAGS \"${FLAGS}\"\n")
set(old "")
if(EXISTS ${OUTPUT})
  file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUTPUT} "${text}")
endif()
]=])
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" flags)
if(NOT flags)
  set(flags "none")
endif()
if(SPECLAB_SANITIZE)
  string(APPEND flags " -fsanitize=address,undefined")
endif()
add_custom_target(speclab_revision_header
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${CMAKE_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DOUTPUT=${CMAKE_BINARY_DIR}/generated/speclab_revision.h
    -DBUILD_TYPE=${CMAKE_BUILD_TYPE} "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}" "-DFLAGS=${flags}"
    -P ${CMAKE_BINARY_DIR}/generated/write_revision.cmake
  BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/speclab_revision.h)
add_library(speclab_revision INTERFACE)
add_library(speclab::revision ALIAS speclab_revision)
target_include_directories(speclab_revision INTERFACE ${CMAKE_BINARY_DIR}/generated)
add_dependencies(speclab_revision speclab_revision_header)
