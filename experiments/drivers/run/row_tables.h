#pragma once
#include <string>
#include <vector>

#include "analysis/tables/bridges.h"
#include "analysis/tables/csv_writer.h"
#include "analysis/tables/device_state.h"
#include "analysis/tables/run_folder.h"
#include "experiments/drivers/journal/run_entries.h"
#include "experiments/drivers/journal/run_log.h"
#include "experiments/drivers/kinds/kind_steps.h"
#include "experiments/drivers/plan/plan.h"

namespace speclab::experiments {

/// The files of a run folder that are made from its rows alone, as results/TABLES.md describes
/// them. All grow together, so that what a row says is read once.
class RowTables {
 public:
  /// @param has_sections  whether times.csv says which section measured a row
  RowTables(const Plan& plan, bool has_sections);
  /// Rows come in the order of row_id.
  void add(const RowEntry& row);

  /// Names and contents of the files; drafts.jsonl, device.csv and bridges.csv are none where no
  /// row has any.
  std::vector<NamedFile> files() &&;

 private:
  analysis::Generation generation_of(const RowEntry& row) const;
  void add_to_rounds(const RowEntry& row);
  void add_to_timeline(const RowEntry& row);
  void add_to_texts(const RowEntry& row);
  void add_to_drafts(const RowEntry& row);
  const PlannedGeneration& generation(const RowEntry& row) const {
    return plan_.generations.at(static_cast<std::size_t>(row.row_id));
  }
  const Cell& cell(const RowEntry& row) const { return plan_.cells[generation(row).cell]; }

  const Plan& plan_;
  analysis::ColumnGroups groups_;  ///< of times.csv
  analysis::ColumnGroups axes_;    ///< of rows.csv
  analysis::CsvWriter rows_, rounds_, times_, timeline_, device_, bridges_;
  bool has_device_ = false, has_bridges_ = false;
  std::string texts_, drafts_;
};

/// Of the rows of a log.
analysis::DeviceState device_state_of(const RunLog& log);

}  // namespace speclab::experiments
