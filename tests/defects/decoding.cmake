# Defects of decoding: needs the engines.
find_package(nlohmann_json REQUIRED)

speclab_seeded_library(NAME speclab_seeded
  LIBRARIES speclab_sim_system speclab_sim_core speclab_sim_policies speclab_models speclab_families speclab_cpu speclab_sampling speclab_verifiers
    speclab_drafters speclab_decoding speclab_search
  UNSEEDED "kernels|catalogue|sha256|read_bandwidth|auto_policy")
target_sources(speclab_seeded PRIVATE
  ../engines/exactness/decoder_cases.cpp ../engines/exactness/decoder_law.cpp ../engines/exactness/world_model.cpp
  ../engines/decoding/tiny_decoding.cpp ../engines/models/tiny_llama.cpp ../engines/models/tiny_mlp_speculator.cpp ../support/named_rules.cpp ../support/small_world.cpp)
target_link_libraries(speclab_seeded PUBLIC speclab::formats speclab::tokenizers fmt::fmt nlohmann_json::nlohmann_json)

# What includes no changed source comes from the shipping libraries.
set(unchanged speclab::constraints speclab::families speclab::cpu speclab::ngrams speclab::sim)
add_executable(seeded_tests
  ../engines/drafters/bridged_drafting_test.cpp
  ../engines/drafters/retokenized_text_test.cpp
  ../engines/drafters/spelled_draft_test.cpp
  ../engines/constraints/constrained_drafts_test.cpp
  ../engines/constraints/constrained_law_test.cpp
  ../engines/decoding/host_round_decoder_test.cpp
  ../engines/drafters/ngram_test.cpp
  ../engines/drafters/prompt_lookup_test.cpp
  ../engines/exactness/decoder_law_test.cpp
  ../engines/exactness/exactness_test.cpp
  ../engines/sampling/logits_pipeline_parity_test.cpp
  ../engines/sampling/text_rules_test.cpp
  ../engines/search/beam_drafts_test.cpp
  ../engines/search/beam_group_test.cpp
  ../engines/search/beam_law_test.cpp
  ../engines/search/branches_test.cpp
  ../engines/search/forced_words_test.cpp
  ../sim/rules/acceptance_branches_test.cpp)
target_link_libraries(seeded_tests PRIVATE speclab_seeded ${unchanged} GTest::gtest GTest::gtest_main)
speclab_precompile(seeded_tests speclab_heavy_headers)
add_executable(seeded_goodness_of_fit
  ../engines/exactness/goodness_of_fit_test.cpp
  ../engines/exactness/law_statistics.cpp
  ../engines/exactness/stored_pairs.cpp
  ../engines/exactness/trials.cpp)
target_link_libraries(seeded_goodness_of_fit PRIVATE speclab_seeded ${unchanged} speclab::analysis_report GTest::gtest GTest::gtest_main)
speclab_precompile(seeded_goodness_of_fit speclab_heavy_headers)
add_executable(seeded_distance distance.cpp)
target_link_libraries(seeded_distance PRIVATE speclab_seeded ${unchanged})

speclab_defects_test(NAME defects_test LABEL exact LIBRARY speclab_seeded SEEDED_TESTS seeded_tests LEAST 30
  SOURCES decoder_distance.cpp sampled_defects_test.cpp)
add_dependencies(defects_test seeded_goodness_of_fit seeded_distance log_pairs)
set_tests_properties(defects_test PROPERTIES COST 60)
set_property(TEST defects_test APPEND PROPERTY LABELS sized)
