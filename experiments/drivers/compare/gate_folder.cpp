#include "experiments/drivers/compare/gate_folder.h"

#include <fmt/format.h>

#include <filesystem>

#include "experiments/drivers/compare/gate_text.h"
#include "sim/core/errors.h"
#include "sim/core/files.h"

namespace speclab::experiments {

GateFolder::GateFolder(std::string path) : path_(std::move(path)) {
  if (path_.empty()) return;
  for (const char* file : {kPairsFile, kCountsFile, kGateFile})
    if (std::filesystem::exists(path_ + "/" + file)) throw ConfigError(fmt::format("--output: '{}' holds {} already; allowed: a folder without a gate", escaped(path_), file));
  make_folder(path_);
}

void GateFolder::add(std::span<const analysis::BenchPairRow> rows) {
  if (path_.empty()) return;
  const std::string path = path_ + "/" + kPairsFile, csv = analysis::to_csv(rows);
  if (has_pairs_) append_file(path, csv.substr(csv.find('\n') + 1));
  else write_file(path, csv);
  has_pairs_ = true;
}

void GateFolder::add(std::span<const analysis::BenchCountRow> rows) const {
  if (!path_.empty()) write_file(path_ + "/" + kCountsFile, analysis::to_csv(rows));
}

void GateFolder::write_gate(const BuildGate& gate) const {
  if (!path_.empty()) write_file(path_ + "/" + kGateFile, gate_json(gate) + "\n");
}

}  // namespace speclab::experiments
