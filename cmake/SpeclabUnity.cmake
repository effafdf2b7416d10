# Several sources are compiled as one: less than half of a build's time. Names in unnamed namespaces must differ within a
# library. Off in the preset dev, where each file must stand on its own includes.
option(SPECLAB_UNITY "Compile several sources of a library at once" ON)
set(CMAKE_UNITY_BUILD ${SPECLAB_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)
