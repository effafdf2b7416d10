# cmake --install BUILD --prefix P: P/bin/speclab, its libraries in P/lib/speclab and its data in P/share/speclab, where it finds them.
# The default model and plotly.js are taken along if scripts/setup has fetched them.
include(SpeclabCache)
set(data share/speclab)
speclab_find_cache(cache)
install(TARGETS speclab RUNTIME DESTINATION bin)
install(DIRECTORY experiments/configs experiments/prompts DESTINATION ${data}/experiments)
install(DIRECTORY results/models DESTINATION ${data}/results)
install(DIRECTORY results/reference DESTINATION ${data}/results FILES_MATCHING PATTERN "*.csv" PATTERN "*.toml")
install(DIRECTORY ${cache}/models DESTINATION ${data}/fetched OPTIONAL FILES_MATCHING PATTERN "smollm2-135m-instruct-q4_1.gguf")
install(FILES ${cache}/plotly/plotly.min.js DESTINATION ${data}/fetched/plotly OPTIONAL)
install(FILES README.md CHANGELOG.md CITATION.cff THIRD_PARTY.md DESTINATION share/doc/speclab)


# The installed program describes itself, so that man page and completions are those of its options.
foreach(page IN ITEMS "man|share/man/man1/speclab.1" "completion;bash|share/bash-completion/completions/speclab" "completion;zsh|share/zsh/site-functions/_speclab")
  string(REPLACE "|" ";" parts "${page}")
  list(POP_BACK parts file)
  install(CODE "
    set(file \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${file}\")
    message(STATUS \"Installing: \${file}\")
    cmake_path(GET file PARENT_PATH folder)
    file(MAKE_DIRECTORY \"\${folder}\")
    execute_process(COMMAND \"$<TARGET_FILE:speclab>\" ${parts} OUTPUT_FILE \"\${file}\" COMMAND_ERROR_IS_FATAL ANY)")
endforeach()

if(SPECLAB_ENGINES)
  set_target_properties(speclab_engines PROPERTIES INSTALL_RPATH "$ORIGIN")
  install(TARGETS speclab_engines LIBRARY DESTINATION lib/speclab)
  # The CPU build of torch names the two CUDA libraries, which it finds beside itself.
  file(GLOB torch_libraries ${torch_dir}/lib/libtorch_cpu.so ${torch_dir}/lib/libc10.so ${torch_dir}/lib/libgomp*.so*
    ${torch_dir}/../nvidia/cu13/lib/libcudart.so.13 ${torch_dir}/../nvidia/cu13/lib/libcupti.so.13)
  install(FILES ${torch_libraries} DESTINATION lib/speclab)
endif()
