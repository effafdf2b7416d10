#pragma once
// The kinds of experiment as a config names them. A new one is a line in kinds.cpp, and a file
// and a line in kinds/kind_steps.cpp.

#include <cstdint>
#include <string>
#include <vector>

namespace speclab::experiments {

/// What a kind leaves behind, and its report shows.
enum class Yield : std::uint8_t { generations, costs, atlas, acceptance };

/// Whether it is about drafts of real models, not about time.
constexpr bool looks_at_drafts(Yield yield) {
  return yield == Yield::atlas || yield == Yield::acceptance;
}

struct ExperimentKind {
  std::string name;
  std::string description;
  Yield yield = Yield::generations;
  const char* table = "rows.csv";  ///< the file that holds what it yields
};

const std::vector<ExperimentKind>& experiment_kinds();
std::vector<std::string> experiment_kind_names();
/// @throws ContractError if there is none of that name
const ExperimentKind& experiment_kind(const std::string& name);

}  // namespace speclab::experiments
