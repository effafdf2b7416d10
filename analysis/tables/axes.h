#pragma once
// The axes of a cell, and the columns that tables name them by.

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/tables/column.h"
#include "analysis/tables/fields.h"
#include "sim/core/setting.h"

namespace speclab::analysis {

/// Columns that a table has if its run varies that axis.
inline constexpr std::string_view kWeightsGroup = "weights", kActivationsGroup = "activations",
                                  kBatchGroup = "batch", kGenerationGroup = "generation";

/// The groups that hold what some of the settings have.
template <typename Settings>
ColumnGroups axis_groups(const Settings& settings) {
  ColumnGroups groups;
  const Setting usual;
  const auto add_if = [&](std::string_view group, auto member) {
    if (std::ranges::any_of(
            settings, [&](const Setting& setting) { return setting.*member != usual.*member; }))
      groups.present.push_back(group);
  };
  add_if(kWeightsGroup, &Setting::weights);
  add_if(kActivationsGroup, &Setting::activations);
  add_if(kBatchGroup, &Setting::batch);
  add_if(kGenerationGroup, &Setting::generation);
  return groups;
}

/// The columns of all axes, in the order of every table. @param access  to the Setting of a row
template <typename Row, typename Access>
std::vector<Column<Row>> axes_columns(Access access) {
  const auto of = part_of(access);
  return {{"model", of(&Setting::model), Text{}, "target"},
          {"drafter", of(&Setting::drafter), Text{},
           "`none` is plain decoding, the baseline of every speed-up"},
          {"tree", of(&Setting::tree), MaybeText{},
           "as in the config; empty for `none`. `axes.tree` holds for drafters that draw trees "
           "(all kinds but `prompt_lookup`) and have none of their own; others draft chains, and "
           "`run` says so"},
          {"policy", of(&Setting::policy), MaybeText{}, ""},
          {"verifier", of(&Setting::verifier), MaybeText{}, ""},
          {"temperature", of(&Setting::temperature), Number{.high = 1e3, .unit = "real"},
           "0 is greedy"},
          {"top_k", of(&Setting::top_k), Count{}, "as in the config; 0, 1, 0, 1 are off"},
          {"top_p", of(&Setting::top_p), Number{.high = 1, .unit = "real"}, ""},
          {"min_p", of(&Setting::min_p), Number{.high = 1, .unit = "real"}, ""},
          {"repetition_penalty", of(&Setting::repetition_penalty),
           Number{.low = 1e-3, .high = 1e3, .unit = "real"}, ""},
          {"weights", of(&Setting::weights), MaybeText{},
           "number format of the target's weights, or `streamed` (only where the run varies it, as "
           "the columns up to `generation`)",
           kWeightsGroup},
          {"activations", of(&Setting::activations), MaybeText{}, "", kActivationsGroup},
          {"batch", of(&Setting::batch), Count{.least = 1},
           "sequences decoded together. A row is one of them: its times are its shares of the "
           "steps that it took part in",
           kBatchGroup},
          {"generation", of(&Setting::generation), MaybeText{},
           "keys of GenerationConfig, as in the config; a search has a round a step",
           kGenerationGroup}};
}

/// The settings of cells: all rows of a cell have one.
class CellSettings {
 public:
  /// @throws DataError by Table::fail where an earlier row had another
  void check(const Table& table, std::size_t row, const std::string& cell_id,
             const Setting& setting) {
    if (settings_.try_emplace(cell_id, setting).first->second != setting)
      table.fail(row, "cell_id", "an earlier row of the cell has other axes");
  }

 private:
  std::map<std::string, Setting> settings_;
};

/// The columns that name a cell. @param access  to its id @param category  to its category
template <typename Row, typename Id, typename Category, typename Axes>
std::vector<Column<Row>> cell_columns(Id id, Category category, Axes axes) {
  return joined<Row>(
      {{{"cell_id", id, Text{},
         "stable name of one point of every axis: equal settings have equal ids in every run"},
        {"category", category, Text{},
         "category of the prompt; in `predictions.csv` and `cells.csv` also `all`, where the "
         "config pools categories"}},
       axes_columns<Row>(axes)});
}

}  // namespace speclab::analysis
