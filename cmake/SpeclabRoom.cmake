# Libraries that rooms use. Found once here, they are known in every folder.
find_package(Boost REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Eigen3 REQUIRED)
find_package(fmt REQUIRED)
find_package(ICU REQUIRED COMPONENTS uc)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)

# speclab_room(NAME x SOURCES <a>.cpp... USES <rooms>... LIBRARIES <others>...): the library speclab::x of one room. USES names the rooms
# that its files include; they stand below it in tests/layering/stairs.txt. LIBRARIES are those of others that its sources include.
function(speclab_room)
  cmake_parse_arguments(arg "" "NAME" "SOURCES;USES;LIBRARIES" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "speclab_room(${arg_NAME}): ${arg_UNPARSED_ARGUMENTS}; allowed: NAME, SOURCES, USES, LIBRARIES")
  endif()
  list(TRANSFORM arg_USES PREPEND speclab::)
  if(NOT arg_SOURCES)  # headers alone
    add_library(speclab_${arg_NAME} INTERFACE)
    add_library(speclab::${arg_NAME} ALIAS speclab_${arg_NAME})
    target_link_libraries(speclab_${arg_NAME} INTERFACE speclab::options ${arg_USES} ${arg_LIBRARIES})
    return()
  endif()
  add_library(speclab_${arg_NAME} STATIC ${arg_SOURCES})
  add_library(speclab::${arg_NAME} ALIAS speclab_${arg_NAME})
  target_link_libraries(speclab_${arg_NAME} PUBLIC speclab::options ${arg_USES} ${arg_LIBRARIES})
  if("fmt::fmt" IN_LIST arg_LIBRARIES)
    speclab_precompile(speclab_${arg_NAME} speclab_library_headers)
  endif()
endfunction()

# speclab_rooms(NAME x ROOMS <rooms>...): speclab::x, the rooms together, for what uses many of them.
function(speclab_rooms)
  cmake_parse_arguments(arg "" "NAME" "ROOMS" ${ARGN})
  list(TRANSFORM arg_ROOMS PREPEND speclab::)
  add_library(speclab_${arg_NAME} INTERFACE)
  add_library(speclab::${arg_NAME} ALIAS speclab_${arg_NAME})
  target_link_libraries(speclab_${arg_NAME} INTERFACE ${arg_ROOMS})
endfunction()
