#pragma once
#include "engines/interface/round_decoder.h"
#include "experiments/drivers/generation/generation_config.h"

namespace speclab::experiments {

/// The tokens of a key whose value is a token, a list of them or null.
std::vector<Token> tokens_of(const KeyValue& value);

/// Sampling settings and rules about whole texts.
/// @param greedy_temperature  the temperature where no token is drawn: 0 in rounds, 1 in searches
engines::SamplingOptions sampling_of(const GenerationConfig& config, double greedy_temperature);

/// @param stop  keeps what is no key: ignore_eos
engines::StopOptions stop_of(const GenerationConfig& config, engines::StopOptions stop);

}  // namespace speclab::experiments
