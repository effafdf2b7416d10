# Headers read once instead of by every file: half of a build's time. Off, as in the preset dev, where each file must stand on its own includes.
option(SPECLAB_PRECOMPILE "Precompile the headers that most files include" ON)

# speclab_precompiled_headers(NAME x HEADERS <a>... LIBRARIES l... [OPTIONS -fPIE]): what speclab_precompile(TARGET x) gives a target. GCC takes them where
# the options for code and the macros that the headers look at are the same.
function(speclab_precompiled_headers)
  cmake_parse_arguments(arg "" "NAME" "HEADERS;LIBRARIES;OPTIONS" ${ARGN})
  if(SPECLAB_PRECOMPILE)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/generated/${arg_NAME}.cpp CONTENT "// Owns precompiled headers.\n")
    add_library(${arg_NAME} OBJECT ${CMAKE_BINARY_DIR}/generated/${arg_NAME}.cpp)
    target_link_libraries(${arg_NAME} PRIVATE speclab::options ${arg_LIBRARIES})
    target_compile_options(${arg_NAME} PRIVATE ${arg_OPTIONS})
    target_precompile_headers(${arg_NAME} PRIVATE ${arg_HEADERS})
  endif()
endfunction()

function(speclab_precompile target headers)
  if(SPECLAB_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()

find_package(fmt REQUIRED)
# Without nlohmann/json.hpp: every file would instantiate its parser, half a second each.
set(speclab_common_headers <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <map> <memory> <numeric> <optional> <set> <span> <string>
  <string_view> <tuple> <utility> <vector> <fmt/format.h> <fmt/ranges.h>)
speclab_precompiled_headers(NAME speclab_library_headers HEADERS ${speclab_common_headers} LIBRARIES fmt::fmt)
