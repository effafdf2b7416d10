#pragma once
#include <string>
#include <utility>
#include <vector>

#include "analysis/io/csv_writer.h"
#include "experiments/drivers/plan/plan.h"
#include "experiments/drivers/run/run_entries.h"

namespace speclab::experiments {

/// Name and content.
using NamedFile = std::pair<std::string, std::string>;

/// The files of a run folder that are made from its rows alone, as results/README.md describes them. All grow together, so that what a row
/// says is read once.
class RowTables {
 public:
  /// @param has_sections  whether times.csv says which section measured a row
  RowTables(const Plan& plan, bool has_sections);
  /// Rows come in the order of row_id.
  void add(const RowEntry& row);

  /// Names and contents of the files; drafts.jsonl is none where no row has drafts.
  std::vector<NamedFile> files() &&;

 private:
  void add_to_rows(const RowEntry& row);
  void add_to_rounds(const RowEntry& row);
  void add_to_times(const RowEntry& row);
  void add_to_timeline(const RowEntry& row);
  void add_to_texts(const RowEntry& row);
  void add_to_drafts(const RowEntry& row);
  const PlannedGeneration& generation(const RowEntry& row) const { return plan_.generations.at(static_cast<std::size_t>(row.row_id)); }
  const Cell& cell(const RowEntry& row) const { return plan_.cells[generation(row).cell]; }

  const Plan& plan_;
  bool has_sections_;
  analysis::CsvWriter rows_, rounds_, times_, timeline_;
  std::string texts_, drafts_;
};

}  // namespace speclab::experiments
