# One interface target carries the flags of every target of the project.
add_library(speclab_options INTERFACE)
add_library(speclab::options ALIAS speclab_options)
target_compile_features(speclab_options INTERFACE cxx_std_20)
target_include_directories(speclab_options INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_options(speclab_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

if(SPECLAB_SANITIZE)
  target_compile_options(speclab_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(speclab_options INTERFACE -fsanitize=address,undefined)
endif()

if(SPECLAB_FUZZ)
  target_compile_options(speclab_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(SPECLAB_CCACHE ccache)
if(SPECLAB_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SPECLAB_CCACHE})
endif()
# The linker is GNU ld: lld 14 keeps the first of two unwind entries at one address. If GCC has left an empty function there, an
# exception thrown in the next one ends the program.
