#pragma once
// Names of work that do not depend on its place in a plan: what makes two generations the same,
// whichever configs they come from.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "experiments/drivers/plan/plan.h"

namespace speclab::experiments {

/// Keys of a plan's generations, pilots, cells and prompts. Two generations of equal keys do the
/// same work: all that the config says of them is equal (settings of the cell, seed, tokens, prompt
/// with its text, repetition; of `auto` and replayed acceptance also the pilots they go by). What
/// they run on (program, machine, device, number format, model bytes) is not in a key: that is the
/// section's (RunLog).
class WorkKeys {
 public:
  explicit WorkKeys(const Plan& plan);

  const std::string& of_row(std::size_t row) const { return rows_.keys.at(row); }
  const std::string& of_pilot(std::size_t pilot) const { return pilots_.keys.at(pilot); }
  const std::string& of_cell(std::size_t cell) const { return cells_.keys.at(cell); }
  const std::string& of_prompt(std::size_t prompt) const { return prompts_.keys.at(prompt); }
  /// Their places; nothing where the plan has no such work.
  std::optional<std::size_t> row_of(const std::string& key) const { return rows_.place(key); }
  std::optional<std::size_t> pilot_of(const std::string& key) const { return pilots_.place(key); }
  std::optional<std::size_t> cell_of(const std::string& key) const { return cells_.place(key); }
  std::optional<std::size_t> prompt_of(const std::string& key) const { return prompts_.place(key); }
  std::size_t num_cells() const { return cells_.keys.size(); }

 private:
  struct Index {
    std::vector<std::string> keys;
    std::unordered_map<std::string, std::size_t> places;
    void add(std::string key);
    std::optional<std::size_t> place(const std::string& key) const;
  };

  Index rows_, pilots_, cells_, prompts_;
};

/// What a section is opened for: equal for plans of the same work, in whatever order and under
/// whatever name.
std::string plan_digest(const Plan& plan);

}  // namespace speclab::experiments
