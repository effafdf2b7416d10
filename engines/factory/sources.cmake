set(speclab_factory_sources engines_factory.cpp machine_info.cpp)
