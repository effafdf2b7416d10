#pragma once
// The kinds of experiment as a config names them. A new one is a line in kinds.cpp, files in
// `kinds`, and their names in kinds/kind_steps.{h,cpp}.

#include <cstdint>
#include <string>
#include <vector>

namespace speclab::experiments {

/// The result of a kind, which its report shows.
enum class Yield : std::uint8_t {
  generations,
  costs,
  drafts,  ///< of real models, and not their time
};

struct ExperimentKind {
  std::string name;
  std::string description;
  Yield yield = Yield::generations;
  const char* table = "rows.csv";  ///< the file that holds what it yields
  const char* entry = "";          ///< of drafts: name of the journal's entries
  bool takes_chains_only = false;  ///< of drafts: keeps them as the ratio test does, and takes no
                                   ///< trees; else none is kept, which a heuristic would follow
  bool is_by_prompt = false;       ///< of drafts: an entry is of one prompt, else of a whole cell

  bool looks_at_drafts() const { return yield == Yield::drafts; }
};

const std::vector<ExperimentKind>& experiment_kinds();
std::vector<std::string> experiment_kind_names();
/// @throws ContractError if there is none of that name
const ExperimentKind& experiment_kind(const std::string& name);

}  // namespace speclab::experiments
