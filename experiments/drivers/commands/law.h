#pragma once
#include <string>
#include <vector>

namespace speclab::experiments {

/// Options of `speclab law`: each line of standard input is a JSON object with `logits` (null is
/// minus infinity) and sampling settings named as in generate(), each line of standard output the
/// array of probabilities, 17 digits.
struct LawOptions {};

/// Names of what a line may have: `logits`, without which there is no law, first.
std::vector<std::string> law_keys();

/// @throws ConfigError naming the line and the key
int run_law(const LawOptions& options);

}  // namespace speclab::experiments
