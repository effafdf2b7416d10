# speclab::torch: headers and CPU libraries of the torch 2.11 Python wheel, without find_package(Torch).
# Looked up in SPECLAB_TORCH_DIR, then where scripts/setup puts it, then in the torch that python3 imports.
set(SPECLAB_TORCH_DIR "" CACHE PATH "Folder 'torch' of an unpacked torch wheel")

function(speclab_find_torch result)
  speclab_find_cache(cache)
  execute_process(COMMAND python3 -c "import importlib.util as u; s = u.find_spec('torch'); print(list(s.submodule_search_locations)[0] if s else '')"
    OUTPUT_VARIABLE python_torch OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  foreach(candidate IN ITEMS "${SPECLAB_TORCH_DIR}" "${cache}/torch-2.11.0/torch" "${python_torch}")
    if(candidate AND EXISTS "${candidate}/lib/libtorch_cpu.so" AND EXISTS "${candidate}/include/ATen/ATen.h")
      set(${result} "${candidate}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "no libtorch found; run scripts/setup, give -DSPECLAB_TORCH_DIR=, or build without it: -DSPECLAB_ENGINES=OFF")
endfunction()

speclab_find_torch(torch_dir)
file(READ ${torch_dir}/version.py torch_version)
if(NOT torch_version MATCHES "2\\.11\\.")
  message(FATAL_ERROR "torch in ${torch_dir} is not 2.11; run scripts/setup")
endif()
if(EXISTS /usr/include/ATen)
  message(FATAL_ERROR "/usr/include/ATen exists and would shadow the wheel's headers; remove the distribution's libtorch-dev")
endif()
message(STATUS "libtorch: ${torch_dir}")

foreach(name IN ITEMS torch_cpu c10)
  add_library(speclab_${name} SHARED IMPORTED)
  set_target_properties(speclab_${name} PROPERTIES IMPORTED_LOCATION ${torch_dir}/lib/lib${name}.so)
endforeach()
add_library(speclab_torch INTERFACE)
add_library(speclab::torch ALIAS speclab_torch)
# -idirafter: the wheel carries its own fmt and protobuf headers, which must not win over the system's.
# RPATH, not RUNPATH: a foreign libc10 on LD_LIBRARY_PATH must not win either.
target_compile_definitions(speclab_torch INTERFACE AT_PER_OPERATOR_HEADERS)
target_compile_options(speclab_torch INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-idirafter ${torch_dir}/include -idirafter ${torch_dir}/include/torch/csrc/api/include>")
# The wheel's own OpenMP runtime is the only one in the process.
file(GLOB torch_gomp ${torch_dir}/lib/libgomp*.so*)
target_link_libraries(speclab_torch INTERFACE speclab_torch_cpu speclab_c10 ${torch_gomp})
target_link_options(speclab_torch INTERFACE LINKER:--disable-new-dtags)
