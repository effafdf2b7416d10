// A search refuses options that contradict each other, and names them.

#include "engines/search/search_checks.h"

#include <gtest/gtest.h>

#include "sim/system/errors.h"

namespace speclab::engines {
namespace {

ModelInfo model() {
  ModelInfo info;
  info.name = "small";
  info.device = "cpu";
  info.vocab_size = 10;
  info.cache_bytes_per_token = std::int64_t{1} << 40;
  return info;
}

DecoderOptions beams(std::int32_t count) {
  DecoderOptions options{.search = SearchOptions{}};
  options.search->num_beams = count;
  return options;
}

void expect_refusal(const DecoderOptions& options, const std::string& text) {
  try {
    check_search_options(options, model(), nullptr);
    ADD_FAILURE() << "taken, although " << text;
  } catch (const ConfigError& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

TEST(SearchChecks, RefuseOptionsOutOfRange) {
  check_search_options(beams(4), model(), nullptr);
  DecoderOptions o = beams(4);
  o.search->num_return_sequences = 5;
  expect_refusal(o, "num_return_sequences = 5; allowed: integers from 1 to num_beams = 4");
  o = beams(4);
  o.search->num_beam_groups = 3;
  expect_refusal(o, "num_beam_groups = 3; allowed: integers that divide num_beams = 4");
  o = beams(5000);
  expect_refusal(o, "num_beams = 5000; allowed: integers from 1 to 1024");
  o = beams(4);
  o.search->do_sample = true;
  o.sampling.temperature = 0;
  expect_refusal(o, "temperature = 0; allowed: above 0 with do_sample");
  o = beams(4);
  o.sampling.rules.bad_words_ids = {{3, 12}};
  expect_refusal(o, "has 12; allowed: 0 to 9");
  o = beams(1);
  expect_refusal(o, "penalty_alpha = 0; allowed: numbers above 0, at most 1");
  o.search->penalty_alpha = 0.6;
  o.search->top_k = 1;
  expect_refusal(o, "top_k = 1; allowed: integers from 2");
}

/// Defect: a search takes an option of rounds and ignores it.
TEST(SearchChecks, RefuseOptionsThatOnlyRoundsTake) {
  DecoderOptions o = beams(4);
  o.verifier = "typical";
  EXPECT_THROW(check_search_options(o, model(), nullptr), ContractError);
  o = beams(4);
  o.log_probabilities = true;
  EXPECT_THROW(check_search_options(o, model(), nullptr), ContractError);
}

TEST(SearchChecks, RefuseBeamsThatNoMemoryHolds) {
  EXPECT_THROW(require_memory_for_cache(model(), 1 << 20, 4), ConfigError);
  ModelInfo little = model();
  little.cache_bytes_per_token = 1;
  EXPECT_NO_THROW(require_memory_for_cache(little, 4, 4));
  EXPECT_THROW(require_memory_for_cache(little, 4, 4, std::int64_t{1} << 50), ConfigError)
      << "what stands beside the cache counts";
}

}  // namespace
}  // namespace speclab::engines
