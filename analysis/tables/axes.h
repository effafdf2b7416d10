#pragma once
// The axes of a cell, and the columns that tables name them by.

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/tables/column.h"
#include "analysis/tables/fields.h"

namespace speclab::analysis {

/// The settings of a cell that decoding depends on. Texts that do not apply (plain decoding has no
/// tree) are empty.
struct CellAxes {
  std::string model;
  std::string drafter;
  std::string tree;
  std::string policy;
  std::string verifier;
  double temperature = 0;
  std::int64_t top_k = 0;
  double top_p = 1;
  double min_p = 0;
  double repetition_penalty = 1;

  bool is_plain() const { return drafter == "none"; }
  /// The cell whose walltime is the baseline of this one's speed-up.
  CellAxes plain() const;
  auto operator<=>(const CellAxes&) const = default;
};

/// The columns of all axes, in the order of every table. @param access  to the CellAxes of a row
template <typename Row, typename Access>
std::vector<Column<Row>> axes_columns(Access access) {
  const auto of = [access](auto member) {
    return [access, member](auto& row) -> auto& { return field_of(access, row).*member; };
  };
  return {{"model", of(&CellAxes::model), Text{}, "target"},
          {"drafter", of(&CellAxes::drafter), Text{},
           "`none` is plain decoding, the baseline of every speed-up"},
          {"tree", of(&CellAxes::tree), MaybeText{},
           "as in the config; empty for `none`. `axes.tree` holds for drafters that draw trees "
           "(all kinds but `prompt_lookup`) and have none of their own; others draft chains, and "
           "`run` says so"},
          {"policy", of(&CellAxes::policy), MaybeText{}, ""},
          {"verifier", of(&CellAxes::verifier), MaybeText{}, ""},
          {"temperature", of(&CellAxes::temperature), Number{.high = 1e3, .unit = "real"},
           "0 is greedy"},
          {"top_k", of(&CellAxes::top_k), Count{}, "as in the config; 0, 1, 0, 1 are off"},
          {"top_p", of(&CellAxes::top_p), Number{.high = 1, .unit = "real"}, ""},
          {"min_p", of(&CellAxes::min_p), Number{.high = 1, .unit = "real"}, ""},
          {"repetition_penalty", of(&CellAxes::repetition_penalty),
           Number{.low = 1e-3, .high = 1e3, .unit = "real"}, ""}};
}

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
