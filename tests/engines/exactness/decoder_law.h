#pragma once
// The exact law of what a decoder writes: the shipping decoder, drafters, verifiers and stop rules
// are run on small models with every random decision forked, and compared with the law of the
// target alone.

#include <ostream>
#include <string>
#include <vector>

#include "engines/interface/round_decoder.h"
#include "tests/support/small_world.h"

namespace speclab::engines::testing {

/// Which models stand behind a case.
enum class Models {
  world,       ///< laws made up for every prefix
  tiny_llama,  ///< Llama models of one layer, with the shipping kernels and cache
};

struct DecoderCase {
  std::string name;
  DecoderOptions options;
  Models models = Models::world;
  speclab::testing::SmallWorld::Options world{.vocab_size = 3};
  std::vector<std::vector<Token>> prompts{{0, 1}};
  Token end_token = -1;  ///< ends a sequence
  std::shared_ptr<const SpeculationLengthPolicy> policy =
      nullptr;  ///< a constant length of 2 if null
};

inline void PrintTo(const DecoderCase& example, std::ostream* out) { *out << example.name; }

/// What the decoder's law and the target's have in common.
struct LawComparison {
  double max_error = 0.0;  ///< largest difference of the probabilities of an output
  double total_variation = 0.0;
  double mass = 0.0;               ///< of the decoder's law
  double accepted_fraction = 0.0;  ///< of the drafted tokens, in the mean
  std::size_t num_paths = 0, num_repeated_keys = 0;
};

/// @throws what the decoder throws
LawComparison compare_laws(const DecoderCase& example);

/// Every lossless verifier, over chains and trees, behind processors, with ends, stop strings,
/// length limits, batches and policies that look at verdicts.
const std::vector<DecoderCase>& decoder_cases();

}  // namespace speclab::engines::testing
