#pragma once
// Parts of a plan: its prompts, the settings that it measures, and their order.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/tables/column.h"
#include "experiments/drivers/plan/plan.h"

namespace speclab::experiments {

/// Reads both by the plan's config. Pilots of the measured set itself are its last prompts.
/// @throws ConfigError if a set lacks something, or both have a prompt of one id
void read_plan_prompts(Plan& plan);

/// Each category once, in alphabetical order.
std::vector<std::string> categories_of(const std::vector<Prompt>& prompts);

/// Says how many of the user's own prompts are measured; empty if all are, or for a set of the
/// project.
std::string selection_note(const Plan& plan);

/// Describes the user's own prompts in lines; empty for a set of the project.
std::string prompts_text(const Plan& plan);

/// The groups of columns that the tables of the plan have, because its cells differ on those axes.
analysis::ColumnGroups axis_columns(const Plan& plan);

/// Fills in draftings and cells, which config, drafters and prompts of the plan give.
void add_cells(Plan& plan);

/// Fills in the pilots of the plan's cells.
void add_pilots(Plan& plan);

/// Row ids as they are measured: repetitions one after the other; in each the prompts in random
/// order; of a prompt the models and temperatures in random order; of these the cells in random
/// order. What plain decoding is repeated more often than its rivals lies among them, at equal
/// distances.
std::vector<std::size_t> measuring_order(const Plan& plan);

/// 0 to count - 1 in random order. @param stream, turn  which shuffle of which family it is
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed, std::uint32_t stream,
                                  std::uint32_t turn);

}  // namespace speclab::experiments
