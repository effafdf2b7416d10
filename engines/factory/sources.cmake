# speclab_engines_library(LIBRARY [CUDA]): all engines behind engines/interface/engines.h; CUDA is the library of a device's, if there is one.
set(speclab_factory_folder ${CMAKE_CURRENT_LIST_DIR})
function(speclab_engines_library library)
  find_package(fmt REQUIRED)
  add_library(${library} SHARED ${speclab_factory_folder}/engines_factory.cpp ${speclab_factory_folder}/machine_info.cpp)
  target_link_libraries(${library} PRIVATE ${ARGN} speclab::decoding speclab::device_monitor speclab::models speclab::models_torch speclab::training speclab::torch fmt::fmt)
  target_link_options(${library} PRIVATE LINKER:--exclude-libs,ALL)
  target_compile_definitions(${library} PRIVATE SPECLAB_HAVE_CUDA=$<BOOL:${ARGN}>)
endfunction()
